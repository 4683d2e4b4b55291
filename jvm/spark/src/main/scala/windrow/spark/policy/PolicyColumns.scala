package windrow.spark.policy

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types._
import org.apache.spark.sql.windrow.SparkInside
import windrow._
import windrow.spark.input.AggregateParts

/** The columns that policies read: measured values as doubles, NaN for missing ones, and markers unchanged. */
private[spark] object PolicyColumns {

  /** Columns by their names, or all problems. */
  type Found = Either[Seq[SpecProblem], Map[String, Expression]]

  /** Finds the columns.
    *
    * @param column
    *   returns a column by its name
    * @param known
    *   names of columns, for error messages
    */
  def of(
      spec: PolicyWindowSpec,
      column: String => Option[Expression],
      known: => Seq[String]): Found = {
    val read = named(spec).map { case (name, isNumber) =>
      column(name).toRight(SpecProblem(
        "COLUMN_NOT_FOUND.POLICY",
        "name"    -> name,
        "columns" -> known.mkString(", ")))
        .flatMap(typed(name, _, isNumber).map(name -> _))
    }
    val found = read.flatMap(_.left.toOption)
    Either.cond(found.isEmpty, read.flatMap(_.toOption).toMap, found)
  }

  /** Finds the columns of a query's input. */
  def in(session: SparkSession, spec: PolicyWindowSpec, input: LogicalPlan): Found =
    of(spec, SparkInside.column(session, input, _), input.output.map(_.name))

  /** Binds the columns of a checked query to the original row. */
  def bound(session: SparkSession, spec: PolicyWindowSpec, parts: AggregateParts): Map[String, Expression] =
    in(session, spec, parts.child).toOption.get.map { case (name, column) =>
      name -> BindReferences.bindReference(column, parts.messageColumns)
    }

  private def named(spec: PolicyWindowSpec): Seq[(String, Boolean)] = {
    def measured(by: By) = Seq(by).collect { case ByDelta(column, _) => (column, true) }
    spec.eviction match {
      case Eviction.Tumbling(by)          => measured(by)
      case Eviction.Sliding(by, trigger)  => (measured(by) ++ measured(trigger)).distinct
      case Eviction.ByPunctuation(column) => Seq((column, false))
    }
  }

  private def typed(name: String, column: Expression, isNumber: Boolean): Either[SpecProblem, Expression] =
    column.dataType match {
      case _: NumericType if isNumber => Right(Coalesce(Seq(Cast(column, DoubleType), Literal(Double.NaN))))
      case BooleanType if !isNumber   => Right(column)
      case other =>
        val must = if (isNumber) "a number" else "a boolean"
        Left(SpecProblem("COLUMN_TYPE", "name" -> name, "type" -> other.sql, "expected" -> must))
    }
}
