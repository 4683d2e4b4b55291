package windrow.spark.output

import org.apache.spark.sql.Column
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate
import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference, Expression, GetArrayItem, LambdaFunction, Literal, NamedLambdaVariable, ZipWith
}
import org.apache.spark.sql.catalyst.trees.{LeafLike, UnaryLike}
import org.apache.spark.sql.types.{ArrayType, DataType, LongType}
import org.apache.spark.sql.windrow.SparkInside
import windrow.spark.version.Arithmetic

/** Sums counts that arrive as arrays, in a single buffer. Each task generates code for every observed buffer. In a
  * small micro-batch, the code of about twenty `sum` functions costs more than the summing itself.
  *
  * The buffer is updated only by Spark's own expressions. The observed values of a task are sent to the driver with
  * their classes, and Spark does not find Windrow's classes there if Windrow was attached to a running session.
  */
private[output] final class CountSums(counts: Expression, names: Seq[String]) {
  private val buffer = AttributeReference("counts", CountSums.Counts, nullable = false)()

  /** The sum of the first count. It owns the buffer and must be observed together with any other sum. */
  def first: Column = sum(CountBuffer(counts, buffer, names.size))

  def of(name: String): Column = sum(CountSum(buffer, names.indexOf(name)))

  private def sum(function: DeclarativeAggregate) = SparkInside.column(function.toAggregateExpression())
}

private[output] object CountSums {
  val Counts: ArrayType = ArrayType(LongType, containsNull = false)

  def at(sums: Expression, number: Int): Expression = GetArrayItem(sums, Literal(number), failOnError = false)
}

/** Sums all counts. Its result is the sum of the first one. */
private[output] final case class CountBuffer(child: Expression, buffer: AttributeReference, number: Int)
    extends DeclarativeAggregate with UnaryLike[Expression] {
  override def dataType: DataType = LongType
  override def nullable: Boolean  = false

  override def aggBufferAttributes: Seq[AttributeReference] = Seq(buffer)
  override lazy val initialValues: Seq[Expression]     = Seq(Literal.create(Array.fill(number)(0L), CountSums.Counts))
  override lazy val updateExpressions: Seq[Expression] = Seq(sums(buffer, child))
  override lazy val mergeExpressions: Seq[Expression]  = Seq(sums(buffer.left, buffer.right))
  override lazy val evaluateExpression: Expression     = CountSums.at(buffer, 0)

  private def sums(some: Expression, more: Expression) = {
    val pair = Seq("some", "more").map(NamedLambdaVariable(_, LongType, nullable = false))
    ZipWith(some, more, LambdaFunction(Arithmetic.add(pair.head, pair.last), pair))
  }

  override protected def withNewChildInternal(newChild: Expression): Expression = copy(child = newChild)
}

/** Reads a sum from the buffer of [[CountBuffer]]. */
private[output] final case class CountSum(buffer: AttributeReference, number: Int)
    extends DeclarativeAggregate with LeafLike[Expression] {
  override def dataType: DataType = LongType
  override def nullable: Boolean  = false

  override def aggBufferAttributes: Seq[AttributeReference] = Nil
  override val initialValues: Seq[Expression]               = Nil
  override val updateExpressions: Seq[Expression]           = Nil
  override val mergeExpressions: Seq[Expression]            = Nil
  override val evaluateExpression: Expression               = CountSums.at(buffer, number)
}
