package windrow.spark.pattern

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.types.{BooleanType, StructType}
import windrow.spark.input.{AggregateParts, PlainText}
import windrow.spark.panes.SimplifiedExpression
import windrow.{MatchSpec, SpecProblem}

/** The expressions of a search for a pattern, resolved over the columns of the input.
  *
  * @param conditions
  *   for each name its condition over [[previous]] and the columns of the input; None if every row has the name
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
    conditions: Seq[Option[Expression]],
    private[pattern] val measures: Option[Measures]) {

  /** Whether a condition reads the previous row. */
  def readsPrevious: Boolean = conditions.flatten.exists(_.references.contains(previous))

  /** The conditions over two values: the row and the previous row, which is null if there is none. */
  def ofRows: Seq[Option[Expression]] = {
    val row    = BoundReference(0, message, nullable = false)
    val before = BoundReference(1, message, nullable = true)
    val fields = AttributeMap(columns.zipWithIndex.map { case (column, i) => column -> GetStructField(row, i) })
    conditions.map(_.map(condition =>
      OfRows.plain(SimplifiedExpression(condition)).transform {
        case column: Attribute if column.exprId == previous.exprId => before
        case column: Attribute                                     => fields.getOrElse(column, column)
      }))
  }

  /** The conditions as text for the checkpoint. */
  def inWords(names: Seq[String]): String = {
    val text = new PlainText(columns :+ previous)
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
      spec: MatchSpec,
      parts: AggregateParts): Either[Seq[SpecProblem], MatchColumns] = {
    val columns  = parts.messageColumns
    val previous = AttributeReference("previous", parts.message)()
    val texts    = new MatchTexts(session, spec.names, columns, previous)
    val conditions = spec.names.map { name =>
      val at = spec.define.indexWhere(_._1.equalsIgnoreCase(name))
      Option.when(at >= 0) {
        val (defined, text) = spec.define(at)
        val argument        = s"define['$defined']"
        parts.markers.get(s"$Marker$at").fold(texts.condition(argument, name, text))(Right(_))
          .flatMap(checked(argument, _))
      }
    }
    val measures = Option.when(spec.measures.nonEmpty)(texts.measures(spec.measures))
    val found    = conditions.flatten.flatMap(_.left.toOption) ++ measures.toSeq.flatMap(_.left.getOrElse(Nil))
    Either.cond(
      found.isEmpty,
      MatchColumns(
        columns,
        parts.message,
        previous,
        conditions.map(_.flatMap(_.toOption)),
        measures.flatMap(_.toOption)),
      found)
  }

  private def checked(argument: String, condition: Expression): Either[SpecProblem, Expression] =
    if (condition.dataType != BooleanType)
      Left(SpecProblem("MATCH_EXPRESSION.NOT_BOOLEAN", "argument" -> argument, "type" -> condition.dataType.sql))
    else Either.cond(OfRows.dependsOnRows(condition), condition, OfRows.unsupported(argument))
}
