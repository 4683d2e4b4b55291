package windrow.spark.functions

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry.FunctionBuilder
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.types.IntegerType
import windrow.{SpecError, SpecProblem}

/** The aggregate functions that Spark does not have, under their names in SQL. They can also be used outside windows.
  */
private[spark] object AggregateFunctions {

  val Names: Seq[String] = Seq(TopN.Name, Previous.Name)

  /** The builder of each function. */
  val All: Seq[(FunctionIdentifier, FunctionBuilder)] = Seq(
    FunctionIdentifier(TopN.Name)     -> topN,
    FunctionIdentifier(Previous.Name) -> previous)

  private def topN(arguments: Seq[Expression]): Expression = arguments match {
    case number +: value +: orders =>
      TopN(value, integer("TOP_N.NUMBER", number, 1, TopN.Most), orders.map(TopN.descending))
    case _ => fail("TOP_N.ARGUMENTS", "found" -> arguments.size)
  }

  private def previous(arguments: Seq[Expression]): Expression = arguments match {
    case Seq(value)           => Previous(value, 1)
    case Seq(value, distance) => Previous(value, integer("PREVIOUS_ROW.NUMBER", distance, 1, TopN.Most))
    case _                    => fail("PREVIOUS_ROW.ARGUMENTS", "found" -> arguments.size)
  }

  private def integer(condition: String, argument: Expression, least: Int, most: Int): Int = argument match {
    case Literal(value: Int, IntegerType) if value >= least && value <= most => value
    case other => fail(condition, "value" -> other.sql, "most" -> most)
  }

  private def fail(condition: String, parameters: (String, Any)*): Nothing =
    throw SpecError("the aggregate", Seq(SpecProblem(condition, parameters: _*)))
}
