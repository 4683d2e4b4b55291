package windrow.spark.arguments

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{CTERelationRef, LogicalPlan}
import org.apache.spark.sql.catalyst.util.{ArrayData, MapData}
import org.apache.spark.sql.types._
import org.apache.spark.sql.windrow.SparkInside
import org.apache.spark.unsafe.types.UTF8String
import scala.collection.immutable.ListMap
import windrow.{CalendarUnit, SpecError, SpecProblem, TimeSpan}

/** The arguments of a table function: tables, and named constants.
  *
  * @param values
  *   values by lower-case name: a string, a number (an integer is a long, others are doubles), a boolean, a duration,
  *   a list of these, a map from strings to these, or a [[StructArgument]] of these
  * @param problems
  *   problems of the other arguments, reported together with all others
  */
final case class TableArguments(
    tables: Seq[LogicalPlan],
    values: Map[String, Any],
    problems: Seq[SpecProblem] = Nil) {
  def table: LogicalPlan = tables.head

  /** Returns this object if there are no problems.
    *
    * @throws SpecError
    *   if there is a problem
    */
  def checked(function: String): TableArguments = if (problems.isEmpty) this else throw SpecError(function, problems)

  /** Returns the names in an argument, or None if it is missing. */
  def names(argument: String): Option[Seq[String]] = values.get(argument).map(NamedConstants.names)

  /** Returns the table. Fails if there is more than one. */
  def only(function: String): LogicalPlan = {
    if (tables.size != 1) throw SpecError(function, Seq(TableArguments.missing(tables.size, several = false)))
    table
  }
}

/** The fields of a struct, in order. */
final case class StructArgument(fields: Seq[(String, Any)])

object TableArguments {

  /** Reads the arguments. Spark checks the tables as if they ran, although Windrow takes their plans apart.
    *
    * @param allowed
    *   names of the constants
    * @param several
    *   whether the function accepts more than one table
    * @param elsewhere
    *   problems of arguments that belong to another function, by lower-case name
    * @throws SpecError
    *   if there are too few or too many tables, with every other problem
    * @throws org.apache.spark.sql.AnalysisException
    *   if Spark rejects a table
    */
  def read(
      function: String,
      expressions: Seq[Expression],
      allowed: Seq[String],
      several: Boolean = false,
      elsewhere: Map[String, SpecProblem] = Map.empty): TableArguments = {
    val found          = Seq.newBuilder[SpecProblem]
    val (tables, rest) = expressions.partition(argument => tableOf(argument).isDefined)
    val isMissing      = tables.isEmpty || (tables.size > 1 && !several)
    if (isMissing) found += missing(tables.size, several)
    if (tables.flatMap(tableOf).exists(_.exists(_.isInstanceOf[CTERelationRef]))) // no rules after `attach`
      found += SpecProblem(
        "TABLE_OF_WITH")
    val (values, wrong) =
      NamedConstants.read(rest, allowed, elsewhere)(one => read(one.value, one.dataType))((name, value) =>
        SpecProblem("ARGUMENT_NOT_CONSTANT.VALUE", "name" -> name, "value" -> value))
    found ++= wrong
    if (isMissing) throw SpecError(function, found.result())
    if (found.result().isEmpty) tables.flatMap(tableOf).foreach(SparkInside.check(SparkSession.active, _))
    TableArguments(tables.flatMap(tableOf), values, found.result())
  }

  private def missing(tables: Int, several: Boolean): SpecProblem = {
    val wanted = if (several) "a table argument for each stream" else "one table argument"
    SpecProblem("TABLE_MISSING.ARGUMENT", "wanted" -> wanted, "tables" -> tables)
  }

  private def tableOf(argument: Expression): Option[LogicalPlan] = argument match {
    case table: FunctionTableSubqueryArgumentExpression => Some(table.plan)
    case NamedArgumentExpression(_, value)              => tableOf(value)
    case _                                              => None
  }

  private def read(value: Any, of: DataType): Option[Any] = (value, of) match {
    case (text: UTF8String, _)                   => Some(text.toString)
    case (micros: Long, _: DayTimeIntervalType)  => Some(TimeSpan(micros))
    case (months: Int, _: YearMonthIntervalType) => Some(CalendarUnit.show(months.toLong, "month"))
    case (number: Byte, _)                       => Some(number.toLong)
    case (number: Short, _)                      => Some(number.toLong)
    case (number: Int, _: IntegerType)           => Some(number.toLong)
    case (number: Long, _: LongType)             => Some(number)
    case (number: Decimal, _)                    => Some(number.toDouble)
    case (number: Double, _)                     => Some(number)
    case (number: Float, _)                      => Some(number.toDouble)
    case (truth: Boolean, _)                     => Some(truth)
    case (items: ArrayData, ArrayType(item, _)) =>
      val all = items.toSeq[Any](item).map(read(_, item))
      Option.when(all.forall(_.isDefined))(all.flatten)
    case (entries: MapData, MapType(StringType, item, _)) =>
      val names = entries.keyArray().toSeq[Any](StringType).map(_.toString)
      val all   = entries.valueArray().toSeq[Any](item).map(read(_, item))
      Option.when(all.forall(_.isDefined))(ListMap.from(names.zip(all.flatten)))
    case (row: InternalRow, StructType(fields)) =>
      val all = fields.toSeq.zipWithIndex.map { case (field, i) => read(row.get(i, field.dataType), field.dataType) }
      Option.when(all.forall(_.isDefined))(StructArgument(fields.toSeq.map(_.name).zip(all.flatten)))
    case _ => None
  }
}
