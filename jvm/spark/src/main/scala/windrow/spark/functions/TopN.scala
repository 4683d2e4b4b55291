package windrow.spark.functions

import java.util.{Arrays, Comparator, PriorityQueue}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types._
import windrow.core.state.{ByteReader, ByteWriter}
import windrow.spark.rows.{RowShape, Rows}

/** The values of the first `number` rows in an order, as an array. Only these rows are stored. Rows that are equal in
  * the order are sorted by their values, so neither the order nor the grouping of rows affects the result. Spark's
  * `max_by` with a number is missing in Spark 4.1, and it selects rows of equal rank by their order of arrival.
  */
private[spark] final case class TopN(
    value: Expression,
    number: Int,
    orders: Seq[SortOrder],
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0)
    extends TypedImperativeAggregate[PriorityQueue[UnsafeRow]] with SupportsOrderingWithinGroup {

  @transient private lazy val columns = orders.map(_.child) :+ value
  @transient private lazy val project = UnsafeProjection.create(columns)
  @transient private lazy val shape   = new RowShape(columns.map(_.dataType))

  /** Compares projected rows. Only identical rows are equal. */
  @transient private lazy val order: Comparator[UnsafeRow] = {
    val at       = columns.zipWithIndex.map { case (column, i) => BoundReference(i, column.dataType, column.nullable) }
    val byOrders = orders.zip(at).map { case (one, column) => one.copy(child = column, sameOrderExpressions = Nil) }
    val byValue  = Option.when(RowOrdering.isOrderable(value.dataType))(SortOrder(at.last, Ascending))
    // A value of its own: `create(...).compare(_, _)` would generate the ordering again for each comparison.
    val rows = RowOrdering.create(byOrders ++ byValue, Nil).asInstanceOf[Comparator[InternalRow]]
      .thenComparing(TopN.byBytes)
    (one, other) => rows.compare(one, other)
  }

  override def createAggregationBuffer(): PriorityQueue[UnsafeRow] = new PriorityQueue(order.reversed)

  override def update(buffer: PriorityQueue[UnsafeRow], input: InternalRow): PriorityQueue[UnsafeRow] =
    adding(buffer, project(input))

  override def merge(buffer: PriorityQueue[UnsafeRow], other: PriorityQueue[UnsafeRow]): PriorityQueue[UnsafeRow] = {
    other.forEach { row => adding(buffer, row); () }
    buffer
  }

  /** Adds a row, and removes the last one if there are too many. The head of the queue is the last row. */
  private def adding(buffer: PriorityQueue[UnsafeRow], row: UnsafeRow): PriorityQueue[UnsafeRow] = {
    val isFull = buffer.size >= number
    if (!isFull || order.compare(row, buffer.peek) < 0) {
      if (isFull) buffer.poll()
      buffer.add(row.copy())
    }
    buffer
  }

  override def serialize(buffer: PriorityQueue[UnsafeRow]): Array[Byte] = {
    val out = new ByteWriter
    sorted(buffer).foreach(Rows.write(_, out))
    out.result()
  }

  override def deserialize(bytes: Array[Byte]): PriorityQueue[UnsafeRow] = {
    val buffer = createAggregationBuffer()
    val in     = ByteReader(bytes)
    while (in.hasNext) buffer.add(shape.read(in))
    buffer
  }

  override def eval(buffer: PriorityQueue[UnsafeRow]): Any =
    new GenericArrayData(sorted(buffer).map(_.get(orders.size, value.dataType)))

  private def sorted(buffer: PriorityQueue[UnsafeRow]): Array[UnsafeRow] = {
    val rows = buffer.toArray(new Array[UnsafeRow](0))
    Arrays.sort(rows, order)
    rows
  }

  override def dataType: DataType             = ArrayType(value.dataType, value.nullable)
  override def nullable: Boolean              = false
  override def defaultResult: Option[Literal] = Some(Literal.create(Seq.empty, dataType))

  override def orderingFilled: Boolean      = orders.nonEmpty
  override def isOrderingMandatory: Boolean = true
  override def isDistinctSupported: Boolean = false

  override def withOrderingWithinGroup(orders: Seq[SortOrder]): AggregateFunction = copy(orders = orders)

  override def prettyName: String               = TopN.Name
  override def sql: String                      = text(_.sql)
  override def sql(isDistinct: Boolean): String = sql
  override def toString: String                 = text(_.toString)
  private def text(of: Expression => String): String =
    s"${TopN.Name}($number, ${of(value)}) WITHIN GROUP (ORDER BY ${orders.map(of).mkString(", ")})"

  override def children: Seq[Expression] = value +: orders

  override protected def withNewChildrenInternal(all: IndexedSeq[Expression]): Expression =
    copy(value = all.head, orders = all.tail.map(_.asInstanceOf[SortOrder]))

  override def withNewMutableAggBufferOffset(offset: Int): ImperativeAggregate = copy(mutableAggBufferOffset = offset)
  override def withNewInputAggBufferOffset(offset: Int): ImperativeAggregate   = copy(inputAggBufferOffset = offset)
}

private[spark] object TopN {
  val Name = "windrow_top_n"

  /** The most rows that a group may store. */
  val Most = 10000

  private val byBytes: Comparator[InternalRow] = (one, other) =>
    Arrays.compareUnsigned(one.asInstanceOf[UnsafeRow].getBytes, other.asInstanceOf[UnsafeRow].getBytes)

  /** Returns a sort order unchanged, and otherwise that of the greatest first. */
  def descending(order: Expression): SortOrder = order match {
    case given: SortOrder => given
    case column           => SortOrder(column, Descending)
  }
}
