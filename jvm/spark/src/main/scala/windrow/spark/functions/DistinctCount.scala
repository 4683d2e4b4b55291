package windrow.spark.functions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.trees.UnaryLike
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils
import org.apache.spark.sql.types._
import org.apache.spark.sql.windrow.SparkInside
import scala.collection.mutable

/** The number of different values that are not null. Spark's `count(DISTINCT …)` needs two aggregations, one after the
  * other, while a window has one. The values are stored like those of `collect_set`.
  *
  * @param child
  *   a struct, because Spark compares structs by their bytes; a set of numbers would contain NaN several times
  */
private[spark] final case class DistinctCount(
    child: Expression,
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0)
    extends TypedImperativeAggregate[mutable.HashSet[Any]] with UnaryLike[Expression] {

  @transient private lazy val values = new CollectSet(child)

  override def createAggregationBuffer(): mutable.HashSet[Any] = mutable.HashSet.empty

  override def update(buffer: mutable.HashSet[Any], input: InternalRow): mutable.HashSet[Any] =
    values.update(buffer, input)

  override def merge(buffer: mutable.HashSet[Any], other: mutable.HashSet[Any]): mutable.HashSet[Any] =
    values.merge(buffer, other)

  override def serialize(buffer: mutable.HashSet[Any]): Array[Byte]  = values.serialize(buffer)
  override def deserialize(bytes: Array[Byte]): mutable.HashSet[Any] = values.deserialize(bytes)
  override def eval(buffer: mutable.HashSet[Any]): Any               = buffer.size.toLong

  override def dataType: DataType             = LongType
  override def nullable: Boolean              = false
  override def defaultResult: Option[Literal] = Some(Literal(0L))
  override def toString: String               = s"count(DISTINCT $child)"

  override def withNewMutableAggBufferOffset(offset: Int): ImperativeAggregate  = copy(mutableAggBufferOffset = offset)
  override def withNewInputAggBufferOffset(offset: Int): ImperativeAggregate    = copy(inputAggBufferOffset = offset)
  override protected def withNewChildInternal(newChild: Expression): Expression = copy(child = newChild)
}

private[spark] object DistinctCount {

  /** Returns a call that does not need DISTINCT and has the same result, or the call itself if there is none. */
  def of(call: AggregateExpression): AggregateExpression = call.aggregateFunction match {
    case _ if !call.isDistinct                    => call
    case Count(values) if canBeStored(values)     => merged(call, DistinctCount(key(values)))
    case same @ (_: Min | _: Max | _: CollectSet) => merged(call, same)
    case _                                        => call
  }

  private def merged(call: AggregateExpression, function: AggregateFunction) =
    call.copy(aggregateFunction = function, isDistinct = false)

  /** Whether Spark can collect the values, which it compares by their bytes. */
  private def canBeStored(values: Seq[Expression]): Boolean =
    values.forall(_.deterministic) && new CollectSet(key(values)).checkInputDataTypes().isSuccess

  /** A struct of the values, or null if one of them is null. */
  private def key(values: Seq[Expression]): Expression = {
    val fields = values.zipWithIndex.flatMap { case (value, i) => Seq(Literal(s"value$i"), binary(value)) }
    val struct = CreateNamedStruct(fields)
    If(values.map(IsNull(_)).reduce[Expression](Or), Literal(null, struct.dataType), struct)
  }

  /** A value whose bytes are equal exactly if the value is. */
  private def binary(value: Expression): Expression = value.dataType match {
    case text: StringType if !UnsafeRowUtils.isBinaryStable(text) => CollationKey(value)
    case _                                                        => SparkInside.normalized(value)
  }
}
