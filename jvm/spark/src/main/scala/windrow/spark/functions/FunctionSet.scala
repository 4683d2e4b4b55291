package windrow.spark.functions

import org.apache.spark.sql.catalyst.analysis.FunctionRegistry
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.plans.logical.Aggregate
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils
import org.apache.spark.sql.types._

/** The aggregate functions of a query, apart from any plan.
  *
  * Spark refuses aggregate functions in the expressions of any node but its own, and renames attributes as it plans, so
  * the functions read their inputs by position: `BoundReference(i)` is the i-th of the inputs that the plan shows.
  *
  * @param filters
  *   for each function the position of its FILTER condition among the inputs, if it has one
  */
final class FunctionSet(val functions: Seq[AggregateFunction], val filters: Seq[Option[Int]]) extends Serializable {

  /** The functions over numbered inputs, with their filters. */
  override def toString: String = functions.zip(filters).map { case (function, filter) =>
    FunctionSet.described(function) + filter.fold("")(at => s" FILTER input$at")
  }.mkString(", ")

  /** The same over words, one for each input, in the place of numbers. */
  def described(inputs: Seq[Expression]): String = functions.zip(filters).map { case (function, filter) =>
    val plain = function.clone()
    plain.foreach(_.unsetTagValue(FunctionRegistry.FUNC_ALIAS)) // `mean` is `avg`
    FunctionSet.described(FunctionSet.read(plain, inputs)) + filter.fold("")(at => s" FILTER (WHERE ${inputs(at)})")
  }.mkString(", ")

  def resultTypes: Seq[DataType] = functions.map(_.dataType)

  /** For each function which of the inputs it reads, with its filter. */
  def reads: Seq[Seq[Int]] = functions.zip(filters).map { case (function, filter) =>
    function.collect { case BoundReference(i, _, _) => i } ++ filter
  }

  /** The filter of the function that reads an input, by its position; None: it has none, or the input is one. */
  def filterOf(input: Int): Option[Int] = functions.zip(filters).collectFirst {
    case (function, Some(filter)) if function.exists { case BoundReference(i, _, _) => i == input; case _ => false } =>
      filter
  }

  def isFilter(input: Int): Boolean = filters.contains(Some(input))

  /** All buffers can be changed in place as one row of fixed width. */
  def fixedWidth: Boolean = functions.forall(_.isInstanceOf[DeclarativeAggregate]) &&
    Aggregate.supportsHashAggregate(functions.flatMap(_.aggBufferAttributes), Nil)

  /** As they are run. */
  @transient private[functions] lazy val run: Seq[AggregateFunction] = functions.map(SignedExtreme.of)

  /** The result is the same to the bit however its messages are grouped as they are combined; asked for where their order does not
    * show (SEMANTICS R90). The rounding of floating point goes by the grouping, and so does what overflows on the way to a result that
    * does not. Of all but sums and counts what is known of their order is as true of their grouping.
    */
  def isExact: Boolean = functions.forall {
    case sum: Sum      => FunctionSet.addsExactly(sum.child, sum.evalContext.evalMode)
    case mean: Average => FunctionSet.averagesExactly(mean)
    case _: Count | _: Min | _: Max | _: BitAggregate | _: HyperLogLogPlusPlus => true
    case _                                                                     => false
  }

  /** The result depends on the order of the messages. */
  def orderShows: Boolean = !functions.forall {
    case _: Count | _: Sum | _: Average | _: BitAggregate | _: CentralMomentAgg | _: Covariance | _: PearsonCorrelation |
        _: HyperLogLogPlusPlus =>
      true
    case Min(value) => FunctionSet.isEqualAlike(value.dataType)
    case Max(value) => FunctionSet.isEqualAlike(value.dataType)
    case _          => false
  }

  /** The functions over the inputs as the plan has them now.
    *
    * @param isMessage
    *   where a function that may fail by itself is called; a declared one does not fail for inputs that are null
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

  /** Of values that are equal and look otherwise, as by a collation or by the sign of a zero, the first is taken; [[SignedExtreme]]
    * does not.
    */
  private def isEqualAlike(of: DataType): Boolean =
    UnsafeRowUtils.isBinaryStable(of) && (SignedExtreme.tells(of) || !SignedExtreme.within(of))

  /** Some functions print where their buffer begins, which is 0 here; which do, changes with the version of Spark. */
  private def described(function: Expression): String = function.toString.replaceFirst(", 0, 0\\)$", ")")

  /** Numbers of 64 bits wrap around, or end the query at an overflow; a decimal has room for 10,000,000,000 of the greatest values. */
  private def addsExactly(value: Expression, mode: EvalMode.Value): Boolean = value.dataType match {
    case DoubleType | FloatType => false
    case decimal: DecimalType   => decimal.precision + 10 <= DecimalType.MAX_PRECISION
    case _                      => mode != EvalMode.TRY
  }

  /** Numbers are averaged as floating point, but for decimals. */
  private def averagesExactly(mean: Average): Boolean = mean.child.dataType match {
    case _: DecimalType | _: DayTimeIntervalType | _: YearMonthIntervalType => addsExactly(mean.child, mean.evalMode)
    case _                                                                  => false
  }

  private[functions] def read(expression: Expression, inputs: Seq[Expression]): Expression = expression.transform {
    case BoundReference(i, _, _) => inputs(i)
  }
}
