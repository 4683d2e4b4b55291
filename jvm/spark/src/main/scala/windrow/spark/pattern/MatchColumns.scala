package windrow.spark.pattern

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.types.{BooleanType, StructType}
import windrow.core.pattern.EarlierRow
import windrow.spark.input.{AggregateParts, PlainText}
import windrow.spark.panes.SimplifiedExpression
import windrow.{MatchDraft, RowPattern, SpecProblem}

/** The expressions of a search for a pattern, resolved over the columns of the input.
  *
  * @param conditions
  *   for each name its condition over [[previous]], [[earlier]], and the columns of the input; None if every row has
  *   the name
  * @param earlier
  *   the earlier rows of a match that conditions read, as structs
  * @param measures
  *   the measures as the parts of an aggregation over the columns of the input and the name of a row; None if there are
  *   none
  * @param columns
  *   the columns of the input
  * @param message
  *   their type
  */
private[spark] final case class MatchColumns private[pattern] (
    columns: Seq[Attribute],
    message: StructType,
    previous: AttributeReference,
    earlier: Seq[(EarlierRow, AttributeReference)],
    conditions: Seq[Option[Expression]],
    private[pattern] val measures: Option[Measures]) {

  /** Whether a condition reads the previous row. */
  def readsPrevious: Boolean = conditions.flatten.exists(_.references.contains(previous))

  /** The conditions over values: the row, the previous row, and the earlier rows. A row that does not exist is null. */
  def ofRows: Seq[Option[Expression]] = {
    val row    = BoundReference(0, message, nullable = false)
    val others = (previous +: earlier.map(_._2)).zipWithIndex.map { case (other, i) => other.exprId -> (i + 1) }.toMap
    val fields = AttributeMap(columns.zipWithIndex.map { case (column, i) => column -> GetStructField(row, i) })
    conditions.map(_.map(condition =>
      RowExpressions.plain(SimplifiedExpression(condition)).transform { case column: Attribute =>
        others.get(column.exprId).map(BoundReference(_, message, nullable = true))
          .orElse(fields.get(column)).getOrElse(column)
      }))
  }

  /** For each name the positions of the earlier rows that its condition reads. */
  def reads: IndexedSeq[Seq[Int]] = conditions.map(condition =>
    earlier.indices.filter(i => condition.exists(_.references.contains(earlier(i)._2)))).toIndexedSeq

  /** The conditions as text for the checkpoint. */
  def inWords(names: Seq[String]): String = {
    val text = new PlainText(columns ++ (previous +: earlier.map(_._2)))
    names.zip(conditions).collect { case (name, Some(condition)) => s"$name: ${text.typed(condition)}" }.mkString("; ")
  }

  /** The time zones that Spark took from the session. */
  def zones: Seq[String] = PlainText.zones(conditions.flatten ++ measures.toSeq.flatMap(_.expressions))
}

private[spark] object MatchColumns {

  /** The prefix of the markers of conditions that are columns, before the position in `define`. */
  val Marker = "define_"

  /** Resolves the expressions, or returns all problems. */
  private[pattern] def of(
      session: SparkSession,
      spec: MatchDraft,
      parts: AggregateParts): Either[Seq[SpecProblem], MatchColumns] = {
    val columns  = parts.messageColumns
    val previous = AttributeReference("previous", parts.message)()
    val pattern  = RowPattern.parse(spec.pattern).toOption
    val names = MatchDraft.distinct(
      pattern.fold(RowPattern.namesIn(spec.pattern) ++ spec.define.map(_._1))(_.names))
    val texts = new MatchTexts(session, names, pattern, columns, previous)
    val conditions = names.map { name =>
      val at = spec.define.indexWhere(_._1.equalsIgnoreCase(name))
      Option.when(at >= 0) {
        val (defined, text) = spec.define(at)
        val argument        = s"define['$defined']"
        parts.markers.get(s"$Marker$at").fold(texts.condition(argument, name, text))(Right(_))
          .flatMap(checked(argument, _))
      }
    }
    val measures = Option.when(spec.measures.nonEmpty)(texts.measures(spec.measures, parts.markers.get("time")))
    val found    = conditions.flatten.flatMap(_.left.getOrElse(Nil)) ++ measures.toSeq.flatMap(_.left.getOrElse(Nil))
    Either.cond(
      found.isEmpty,
      MatchColumns(
        columns,
        parts.message,
        previous,
        texts.earlier.filter { case (_, row) =>
          conditions.exists(_.exists(_.exists(_.references.contains(row))))
        },
        conditions.map(_.flatMap(_.toOption)),
        measures.flatMap(_.toOption)),
      found)
  }

  private def checked(argument: String, condition: Expression): Either[Seq[SpecProblem], Expression] =
    if (condition.dataType != BooleanType)
      Left(Seq(SpecProblem("MATCH_EXPRESSION.NOT_BOOLEAN", "argument" -> argument, "type" -> condition.dataType.sql)))
    else Either.cond(RowExpressions.dependsOnRows(condition), condition, Seq(RowExpressions.unsupported(argument)))
}
