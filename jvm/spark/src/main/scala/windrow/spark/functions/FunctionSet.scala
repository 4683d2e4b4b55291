package windrow.spark.functions

import org.apache.spark.sql.catalyst.analysis.FunctionRegistry
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.plans.logical.Aggregate
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils
import org.apache.spark.sql.types._
import windrow.spark.version.Arithmetic

/** The aggregate functions of a query, independent of any plan.
  *
  * Spark allows aggregate functions only in its own nodes and renames attributes during planning. The functions
  * therefore read their inputs by position: `BoundReference(i)` is the i-th input of the plan.
  *
  * @param filters
  *   for each function the position of its FILTER condition among the inputs, if it has one
  */
final class FunctionSet(val functions: Seq[AggregateFunction], val filters: Seq[Option[Int]]) extends Serializable {

  /** Shows the functions over numbered inputs, with their filters. */
  override def toString: String = functions.zip(filters).map { case (function, filter) =>
    FunctionSet.described(function) + filter.fold("")(at => s" FILTER input$at")
  }.mkString(", ")

  /** Shows each function over the given inputs instead of numbers. */
  def described(inputs: Seq[Expression]): Seq[String] = functions.zip(filters).map { case (function, filter) =>
    val plain = function.clone()
    plain.foreach(_.unsetTagValue(FunctionRegistry.FUNC_ALIAS)) // `mean` becomes `avg`
    FunctionSet.described(FunctionSet.read(plain, inputs)) + filter.fold("")(at => s" FILTER (WHERE ${inputs(at)})")
  }

  def resultTypes: Seq[DataType] = functions.map(_.dataType)

  /** The positions of the inputs that each function reads, including its filter. */
  def reads: Seq[Seq[Int]] = functions.zip(filters).map { case (function, filter) =>
    function.collect { case BoundReference(i, _, _) => i } ++ filter
  }

  /** Returns the filter of the function that reads an input, by its position, or None if the function lacks a filter or
    * the input is a filter.
    */
  def filterOf(input: Int): Option[Int] = functions.zip(filters).collectFirst {
    case (function, Some(filter)) if function.exists { case BoundReference(i, _, _) => i == input; case _ => false } =>
      filter
  }

  def isFilter(input: Int): Boolean = filters.contains(Some(input))

  /** Whether all buffers fit into one row of fixed width that can be updated in place. */
  def fixedWidth: Boolean = functions.forall(_.isInstanceOf[DeclarativeAggregate]) &&
    Aggregate.supportsHashAggregate(functions.flatMap(_.aggBufferAttributes), Nil)

  /** The functions that are executed. */
  @transient private[functions] lazy val run: Seq[AggregateFunction] = functions.map(SignedExtreme.of)

  /** Whether the result is identical to the bit for every grouping of partial results. Only used if the order of rows
    * does not affect the result (SEMANTICS R90). Floating-point rounding depends on the grouping, and so does an
    * overflow of an intermediate result, so sums and averages are exact for some types only. Counts, extremes, bit
    * aggregates, distinct counts, the first rows of an order and aggregates over time are always exact. All other
    * functions are treated as inexact.
    */
  def isExact: Boolean = functions.forall {
    case sum: Sum      => FunctionSet.addsExactly(sum.child, Arithmetic.modeOf(sum))
    case mean: Average => FunctionSet.averagesExactly(mean)
    case _: Count | _: DistinctCount | _: TopN | _: OverTime[_] | _: Min | _: Max | _: BitAggregate |
        _: HyperLogLogPlusPlus =>
      true
    case _ => false
  }

  /** Whether windows carry values of earlier rows (SEMANTICS R123). */
  def carries: Boolean = functions.exists {
    case function: OverTime[_] => function.carry.isDefined
    case _                     => false
  }

  /** Whether the result depends on the order of the rows. */
  def dependsOnOrder: Boolean = !ignoresOrder

  private def ignoresOrder: Boolean = functions.forall {
    case _: Count | _: DistinctCount | _: TopN | _: OverTime[
          _] | _: Sum | _: Average | _: BitAggregate | _: CentralMomentAgg | _: Covariance |
        _: PearsonCorrelation | _: HyperLogLogPlusPlus =>
      true
    case Min(value) => FunctionSet.equalMeansIdentical(value.dataType)
    case Max(value) => FunctionSet.equalMeansIdentical(value.dataType)
    case _          => false
  }

  /** Returns the functions over the inputs of the present plan.
    *
    * @param isMessage
    *   whether a row is an input row. Functions that may fail by themselves are called only for those. A declarative
    *   function does not fail for null inputs.
    */
  def over(inputs: Seq[Expression], isMessage: Expression): Seq[AggregateExpression] =
    run.zip(filters).map { case (function, filter) =>
      val mayFail = !function.isInstanceOf[DeclarativeAggregate]
      AggregateExpression(
        FunctionSet.read(function, inputs).asInstanceOf[AggregateFunction],
        Partial,
        isDistinct = false,
        (Option.when(mayFail)(isMessage) ++ filter.map(inputs)).reduceOption(And))
    }
}

object FunctionSet {

  /** Whether equal values of a type are identical. If they are not, for example because of a collation or the sign of a
    * zero, an aggregate returns the first one. [[SignedExtreme]] does not.
    */
  private def equalMeansIdentical(of: DataType): Boolean =
    UnsafeRowUtils.isBinaryStable(of) && (SignedExtreme.hasSignedZero(of) || !SignedExtreme.containsSignedZero(of))

  /** Removes the position of a buffer from a function's text. It is always 0 here, and the functions that print it
    * differ between Spark versions.
    */
  private def described(function: Expression): String = function.toString.replaceFirst(", 0, 0\\)$", ")")

  /** Whether a sum is exact. 64-bit integers wrap around, or an overflow ends the query. A decimal must have room for
    * 10,000,000,000 of the greatest values.
    */
  private def addsExactly(value: Expression, mode: EvalMode.Value): Boolean = value.dataType match {
    case DoubleType | FloatType => false
    case decimal: DecimalType   => decimal.precision + 10 <= DecimalType.MAX_PRECISION
    case _                      => mode != EvalMode.TRY
  }

  /** Whether an average is exact. Averages of numbers other than decimals use floating point. */
  private def averagesExactly(mean: Average): Boolean = mean.child.dataType match {
    case _: DecimalType | _: DayTimeIntervalType | _: YearMonthIntervalType => addsExactly(mean.child, mean.evalMode)
    case _                                                                  => false
  }

  private[functions] def read(expression: Expression, inputs: Seq[Expression]): Expression = expression.transform {
    case BoundReference(i, _, _) => inputs(i)
  }
}
