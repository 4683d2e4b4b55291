package windrow.spark.functions

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry.FunctionBuilder
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import windrow.{SpecError, SpecProblem, TimeSpan}

/** The aggregate functions that Spark does not have, under their names in SQL. They can also be used outside windows.
  */
private[spark] object AggregateFunctions {

  val Names: Seq[String] = Seq(TopN.Name, Lag.Name, TimeWeightedAverage.Name, TimeInState.Name, Increase.Name)

  /** The builder of each function. */
  val All: Seq[(FunctionIdentifier, FunctionBuilder)] = Seq(
    FunctionIdentifier(TopN.Name)                -> topN,
    FunctionIdentifier(Lag.Name)                 -> lag,
    FunctionIdentifier(TimeWeightedAverage.Name) -> carried(TimeWeightedAverage.Name, TimeWeightedAverage(_, _, _)),
    FunctionIdentifier(TimeInState.Name)         -> carried(TimeInState.Name, TimeInState(_, _, _)),
    FunctionIdentifier(Increase.Name)            -> carried(Increase.Name, Increase(_, _, _)),
    FunctionIdentifier(PythonValue.Name)         -> PythonValue.of)

  private def topN(arguments: Seq[Expression]): Expression = arguments match {
    case number +: value +: orders =>
      val n = integer(number)(fail("TOP_N.NUMBER", "value" -> number.sql, "most" -> TopN.Most))
      TopN(value, n, orders.map(TopN.descending))
    case _ => fail("TOP_N.ARGUMENTS", "found" -> arguments.size)
  }

  private def lag(arguments: Seq[Expression]): Expression = arguments match {
    case Seq(value) => Lag(value, 1)
    case Seq(value, distance) =>
      Lag(value, integer(distance)(fail("LAG.NUMBER", "value" -> distance.sql, "most" -> TopN.Most)))
    case _ => fail("LAG.ARGUMENTS", "found" -> arguments.size)
  }

  /** A boolean, text, or interval is not a time, so as the last argument it sets how long a value is carried. */
  private def carried(
      name: String,
      of: (Expression, Expression, Option[TimeSpan]) => Expression)(arguments: Seq[Expression]): Expression =
    arguments.lastOption.filter(_ => arguments.size > 1).flatMap(carry(name)) match {
      case Some(limit) => overTime(name, of(_, _, limit))(arguments.init)
      case None        => overTime(name, of(_, _, None))(arguments)
    }

  private def carry(name: String)(argument: Expression): Option[Option[TimeSpan]] = argument match {
    case Literal(isCarried: Boolean, BooleanType) => Some(Option.when(isCarried)(TimeSpan.Endless))
    case Literal(text: UTF8String, _: StringType) =>
      Some(Some(limit(name, TimeSpan.parse(text.toString).toOption, s"'$text'")))
    case Literal(micros: Long, _: DayTimeIntervalType) =>
      Some(Some(limit(name, Some(TimeSpan(micros)), argument.sql)))
    case Literal(_, _: YearMonthIntervalType) => Some(Some(limit(name, None, argument.sql)))
    case _                                    => None
  }

  private def limit(name: String, stated: Option[TimeSpan], shown: String): TimeSpan =
    stated.filter(_.micros > 0).getOrElse(fail("OVER_TIME.CARRY_LIMIT", "function" -> name, "value" -> shown))

  private def overTime(
      name: String,
      of: (Expression, Expression) => Expression)(arguments: Seq[Expression]): Expression =
    arguments match {
      case Seq(value)       => of(value, StreamTime)
      case Seq(value, time) => of(value, time)
      case _                => fail("OVER_TIME.ARGUMENTS", "function" -> name, "found" -> arguments.size)
    }

  /** Returns the number of rows in an argument. */
  private def integer(argument: Expression)(wrong: => Nothing): Int = argument match {
    case Literal(value: Int, IntegerType) if value >= 1 && value <= TopN.Most => value
    case _                                                                    => wrong
  }

  private def fail(condition: String, parameters: (String, Any)*): Nothing =
    throw SpecError("the aggregate", Seq(SpecProblem(condition, parameters: _*)))
}
