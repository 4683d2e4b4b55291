package windrow.spark.functions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import windrow.Guards
import windrow.core.aggregate.{Aggregation, BufferStorage, GapFiller}
import windrow.core.state.{ByteReader, ByteWriter, Pieces}
import windrow.spark.rows.{RowShape, Rows}

/** The columns of values that windows without rows need in addition to their own results (SEMANTICS R120): results of
  * the last and of the next window with rows, the place between them, and the state of the window.
  *
  * @param results
  *   types of the results of all functions
  * @param last
  *   the functions whose results in the last window are shown
  * @param next
  *   the functions whose results in the next window are shown
  */
final case class GapLayout(results: Seq[DataType], last: Seq[Int], next: Seq[Int]) {
  def added: Seq[DataType] = (last ++ next).map(results) ++ Seq(DoubleType, IntegerType)
}

object GapLayout {

  /** A window with rows. */
  val HasRows = 0

  /** A window without rows whose value depends on no other window. */
  val Alone = 1

  /** A window without rows that shows results of the last window, and perhaps of the next one. */
  val Filled = 2
}

/** An aggregation whose values also contain the columns of a [[GapLayout]]. */
final class FilledAggregation[B](inner: Aggregation[B, InternalRow], layout: GapLayout)
    extends Aggregation[B, InternalRow] {
  private val width  = layout.results.size
  private val types  = layout.results ++ layout.added
  private val shape  = new RowShape(types)
  private val whole  = UnsafeProjection.create(types.toArray)
  private val row    = new GenericInternalRow(types.size)
  private val beside = Array.fill[Any](types.size - width)(null)

  private def extended(own: InternalRow, last: InternalRow, next: InternalRow, share: Any, state: Int): InternalRow = {
    def copy(functions: Seq[Int], from: InternalRow, at: Int) = functions.indices.foreach(i =>
      beside(at + i) = if (from == null) null else from.get(functions(i), layout.results(functions(i))))
    copy(layout.last, last, 0)
    copy(layout.next, next, layout.last.size)
    beside(beside.length - 2) = share
    beside(beside.length - 1) = state
    types.indices.foreach(i => row.update(i, if (i < width) own.get(i, types(i)) else beside(i - width)))
    whole(row).copy()
  }

  private[windrow] override val filler: Option[GapFiller[InternalRow]] = Some(new GapFiller[InternalRow] {
    def alone(own: InternalRow): InternalRow                    = extended(own, null, null, null, GapLayout.Alone)
    def after(own: InternalRow, last: InternalRow): InternalRow = extended(own, last, null, null, GapLayout.Filled)
    def between(own: InternalRow, last: InternalRow, next: InternalRow, share: Double): InternalRow =
      extended(own, last, next, share, GapLayout.Filled)

    def write(value: InternalRow, out: ByteWriter): Unit = Rows.write(value.asInstanceOf[UnsafeRow], out)
    def read(in: ByteReader): InternalRow                = shape.read(in)
  })

  private def shown(value: InternalRow) = extended(value, null, null, null, GapLayout.HasRows)

  def lower(buffer: B): InternalRow = shown(inner.lower(buffer))

  private[windrow] override def lowerUntil(buffer: B, end: Option[Long]): InternalRow =
    shown(inner.lowerUntil(buffer, end))

  private[windrow] override def lowerAll(buffers: Iterator[B], end: Option[Long]): InternalRow =
    shown(inner.lowerAll(buffers, end))

  private[windrow] override def in(pieces: Pieces, guards: Guards): Aggregation[B, InternalRow] =
    new FilledAggregation(inner.in(pieces, guards), layout)

  override def isExact: Boolean                                   = inner.isExact
  private[windrow] override def storage: Option[BufferStorage[B]] = inner.storage

  def zero: B                                 = inner.zero
  def combine(left: B, right: B): B           = inner.combine(left, right)
  def copy(buffer: B): B                      = inner.copy(buffer)
  def write(buffer: B, out: ByteWriter): Unit = inner.write(buffer, out)
  def read(in: ByteReader): B                 = inner.read(in)
}
