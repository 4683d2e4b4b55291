package windrow.spark.pattern

import org.apache.spark.sql.catalyst.analysis.{UnresolvedAttribute, UnresolvedFunction, UnresolvedStar}
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, Last}
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LocalRelation, LogicalPlan, Project}
import org.apache.spark.sql.types.{DataType, IntegerType}
import org.apache.spark.sql.windrow.SparkInside
import org.apache.spark.sql.{AnalysisException, SparkSession}
import scala.util.control.NonFatal
import windrow.core.pattern.EarlierRow
import windrow.spark.functions.OverTimeCheck
import windrow.spark.input.{AggregateParts, Marks}
import windrow.spark.version.Arithmetic
import windrow.{RowPattern, SpecProblem}

/** Resolves conditions and measures that are SQL. Spark parses them and resolves them over the columns of the input.
  *
  * @param names
  *   the names in the pattern
  * @param pattern
  *   None if it was not understood
  * @param columns
  *   the columns of the input
  * @param previous
  *   the previous row, as a struct
  */
private[pattern] final class MatchTexts(
    session: SparkSession,
    names: Seq[String],
    pattern: Option[RowPattern],
    columns: Seq[Attribute],
    previous: AttributeReference) {
  import MatchTexts._
  import StepNames.{EarlierValue, Prev, isCall}

  /** The earlier rows of a match that a condition may read, as structs. */
  val earlier: Seq[(EarlierRow, AttributeReference)] =
    (EarlierRow(None, isFirst = true) +: names.indices.flatMap(name =>
      Seq(true, false).map(EarlierRow(Some(name), _)))).map { row =>
      row -> AttributeReference(MatchTexts.columnOf(row, names), previous.dataType)()
    }

  private val steps = new StepNames(names, pattern, columns)

  /** Resolves the condition of a name. */
  def condition(argument: String, name: String, text: String): Either[Seq[SpecProblem], Expression] =
    for {
      parsed  <- parse(argument, text)
      own     <- steps.written(argument, name, parsed)
      written <- withPrevious(argument, own)
      made    <- analyzed(argument, Project(Seq(Alias(written, "condition")()), LocalRelation(columns)))
      value <- made match {
        case Project(Seq(Alias(value, _)), _: LocalRelation) => Right(value)
        case _                                               => Left(Seq(RowExpressions.unsupported(argument)))
      }
    } yield {
      val rows = earlier.toMap
      value.transformUp {
        case PreviousRow(read)       => ofRow(previous, read)
        case EarlierValue(read, row) => ofRow(rows(row), read)
      }
    }

  private def withPrevious(argument: String, parsed: Expression): Either[Seq[SpecProblem], Expression] = {
    val written = parsed.transformUp {
      case call: UnresolvedFunction if isCall(call, Prev) =>
        call.children match {
          case Seq(read) if !read.exists(one => one.isInstanceOf[PreviousRow] || one.isInstanceOf[EarlierValue]) =>
            PreviousRow(read)
          case _ => call
        }
    }
    if (written.exists(isCall(_, Prev))) Left(Seq(SpecProblem("MATCH_EXPRESSION.PREVIOUS", "argument" -> argument)))
    else Right(written)
  }

  /** A value of another row; null if there is none. */
  private def ofRow(row: AttributeReference, read: Expression): Expression = {
    val fields = AttributeMap(columns.zipWithIndex.map { case (column, i) =>
      column -> GetStructField(row, i, Some(column.name))
    })
    If(
      IsNull(row),
      Literal.create(null, read.dataType),
      read.transform { case column: Attribute => fields.getOrElse(column, column) })
  }

  /** Resolves measures, in order.
    *
    * @param time
    *   the event time over the columns, if it is known
    */
  def measures(texts: Seq[(String, String)], time: Option[Expression]): Either[Seq[SpecProblem], Measures] = {
    val read  = texts.map { case (name, text) => name -> measure(s"measures['$name']", text) }
    val found = read.flatMap(_._2.left.getOrElse(Nil))
    if (found.nonEmpty) Left(found)
    else {
      val columns        = read.flatMap { case (name, one) => one.toOption.map(value => Alias(value, name)()) }
      val aggregate      = Aggregate(Nil, columns, LocalRelation(this.columns :+ nameOfRow))
      val (wrong, parts) = AggregateParts.of(aggregate)
      val timed          = parts.toRight(Nil).flatMap(_.timed(time).left.map(Seq(_)))
      val refused =
        wrong ++ timed.left.getOrElse(Nil) ++ parts.toSeq.flatMap(one => OverTimeCheck.ofMeasures(one.functions))
      timed.filterOrElse(_ => refused.isEmpty, refused).map(Measures(_, this.columns :+ nameOfRow))
    }
  }

  private val nameOfRow = AttributeReference(Marks.Prefix + "name", IntegerType, nullable = false)()

  /** The rows of each name, as a struct that is replaced by a filter. */
  private val rowsOf = names.map(name => AttributeReference(rowOf(name), previous.dataType, nullable = false)())

  private def measure(argument: String, text: String): Either[Seq[SpecProblem], Expression] = for {
    parsed <- parse(argument, text)
    wrong = steps.wrongNames(argument, parsed) ++
      Option.when(parsed.exists(isCall(_, Prev)))(SpecProblem("MATCH_EXPRESSION.PREVIOUS", "argument" -> argument))
    _    <- Either.cond(wrong.isEmpty, (), wrong)
    read <- withLast(argument, qualified(parsed))
    made <- analyzed(argument, measuring(read))
    value <- made match {
      case Aggregate(Nil, Seq(Alias(value, _)), _: LocalRelation, _) => Right(value)
      case _                                                         => Left(Seq(RowExpressions.unsupported(argument)))
    }
    filtered <- ofNames(argument, value)
    _        <- Either.cond(dependsOnRows(filtered), (), Seq(RowExpressions.unsupported(argument)))
  } yield filtered

  private def measuring(measure: Expression) =
    Aggregate(Nil, Seq(Alias(measure, "measure")()), LocalRelation((columns ++ rowsOf) :+ nameOfRow))

  /** Makes a column of a name that is not inside an aggregate the value of the last row of the name. */
  private def withLast(argument: String, measure: Expression): Either[Seq[SpecProblem], Expression] = {
    def last(one: Expression): Expression = one match {
      case call: AggregateExpression => call
      case field @ GetStructField(row: Attribute, _, _) if rowsOf.exists(_.exprId == row.exprId) =>
        Last(field, ignoreNulls = false).toAggregateExpression()
      case other => other.mapChildren(last)
    }
    refusing(argument)(SparkInside.resolved(session, measuring(measure))).map {
      case Aggregate(Nil, Seq(Alias(value, _)), _, _) if value.resolved => last(value)
      case _                                                            => measure
    }
  }

  /** Whether the inputs of all aggregates, and what is computed from the aggregates, depend on rows alone. */
  private def dependsOnRows(measure: Expression): Boolean = {
    val calls = measure.collect { case call: AggregateExpression => call }
    val rest  = measure.transformDown { case call: AggregateExpression => Literal.create(null, call.dataType) }
    (rest +: calls.flatMap(call => call.aggregateFunction.children ++ call.filter)).forall(RowExpressions.dependsOnRows)
  }

  /** Names the rows of a name so that no column has that name. `count(A.*)` counts the rows of a name. */
  private def qualified(parsed: Expression): Expression = parsed.transform {
    case call: UnresolvedFunction if isCall(call, "count") =>
      call.mapChildren {
        case UnresolvedStar(Some(Seq(name))) if isName(name) => UnresolvedAttribute(Seq(rowOf(name)))
        case other                                           => other
      }
    case call: UnresolvedFunction if isCall(call, "classifier") && call.children.isEmpty => nameAt(nameOfRow)
    case UnresolvedAttribute(first +: rest) if rest.nonEmpty && isName(first) =>
      UnresolvedAttribute(rowOf(first) +: rest)
  }

  /** The text of the name with a number. */
  private def nameAt(number: Expression): Expression =
    ElementAt(CreateArray(names.map(Literal(_))), Arithmetic.add(number, Literal(1)), None, failOnError = false)

  /** Replaces the rows of a name by a filter of the aggregate. */
  private def ofNames(argument: String, measure: Expression): Either[Seq[SpecProblem], Expression] = {
    val several = measure.collectFirst { case call: AggregateExpression if namesIn(call).size > 1 => namesIn(call) }
    several.map(all =>
      Seq(SpecProblem(
        "MATCH_EXPRESSION.NAMES",
        "argument" -> argument,
        "names"    -> all.map(names(_)).mkString(", ")))).toLeft(measure.transform {
      case call: AggregateExpression => namesIn(call).headOption.fold(call)(ofName(call, _))
    })
  }

  private def namesIn(call: AggregateExpression): Seq[Int] =
    rowsOf.indices.filter(i => call.references.contains(rowsOf(i)))

  private def ofName(call: AggregateExpression, name: Int): AggregateExpression = {
    def isRow(expression: Expression) = expression match {
      case column: Attribute => column.exprId == rowsOf(name).exprId
      case _                 => false
    }
    val read = call.transform {
      case GetStructField(row, i, _) if isRow(row) => columns(i)
      case row if isRow(row)                       => CreateStruct(columns)
    }.asInstanceOf[AggregateExpression]
    val isOfName = EqualTo(nameOfRow, Literal(name))
    read.copy(filter = Some(read.filter.fold[Expression](isOfName)(And(isOfName, _))))
  }

  private def isName(text: String): Boolean = names.exists(_.equalsIgnoreCase(text))

  private def parse(argument: String, text: String): Either[Seq[SpecProblem], Expression] =
    refusing(argument)(SparkInside.parse(session, text))

  private def analyzed(argument: String, plan: LogicalPlan): Either[Seq[SpecProblem], LogicalPlan] =
    refusing(argument)(SparkInside.analyzed(session, plan))

  private def refusing[T](argument: String)(code: => T): Either[Seq[SpecProblem], T] =
    try Right(code)
    catch {
      case refused: ParseException =>
        Left(refusal(argument, refused.getMessage.linesIterator.find(_.nonEmpty).mkString))
      case refused: AnalysisException => Left(refusal(argument, refused.getSimpleMessage))
      case NonFatal(refused)          => Left(refusal(argument, refused.getMessage))
    }

  private def refusal(argument: String, why: String) =
    Seq(SpecProblem("MATCH_EXPRESSION.REFUSED", "argument" -> argument, "why" -> why.stripSuffix(".")))
}

private object MatchTexts {

  /** The name of an earlier row in the checkpoint. */
  private def columnOf(row: EarlierRow, names: Seq[String]): String =
    (if (row.isFirst) "first" else "last") + row.name.fold("")(i => s"_${names(i).toLowerCase(java.util.Locale.ROOT)}")

  /** The name of the column that contains the rows of a name. */
  private def rowOf(name: String): String = s"${Marks.Prefix}row_${name.toLowerCase(java.util.Locale.ROOT)}"

  /** A value of the previous row, until its columns are resolved. */
  private final case class PreviousRow(child: Expression) extends UnaryExpression with Unevaluable {
    override def dataType: DataType                                               = child.dataType
    override def nullable: Boolean                                                = true
    override def prettyName: String                                               = StepNames.Prev
    override protected def withNewChildInternal(newChild: Expression): Expression = copy(child = newChild)
  }
}
