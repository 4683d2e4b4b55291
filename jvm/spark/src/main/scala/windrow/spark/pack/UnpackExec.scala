package windrow.spark.pack

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.types.BinaryType
import org.apache.spark.sql.windrow.SparkInside
import windrow.core.state.ByteReader
import windrow.spark.rows.{RowPacket, Rows}

/** Reads the rows from packets; see [[Unpack]]. */
final case class UnpackExec(
    packet: Expression,
    kinds: Seq[PacketRows],
    output: Seq[Attribute],
    takesPassed: Boolean,
    child: SparkPlan)
    extends UnaryExecNode {

  override def producedAttributes: AttributeSet = outputSet

  override lazy val metrics: Map[String, SQLMetric] =
    Map("numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of output rows"))

  protected override def doExecute(): RDD[InternalRow] = {
    val own = unpacked(SparkInside.inMicroBatch(child.execute()), BindReferences.bindReference(packet, child.output))
    if (!takesPassed) own
    else {
      val passed = PassRejectedExec.below(child).filter(one => kinds.exists(_.kind == one.to))
      sparkContext.union(own +: passed.map(one => unpacked(one.rejected, UnpackExec.Only)))
    }
  }

  private def unpacked(rows: RDD[InternalRow], column: Expression): RDD[InternalRow] = {
    val (wanted, columns) = (kinds, output)
    val count             = longMetric("numOutputRows")
    rows.mapPartitions(packets => new UnpackedRows(packets, column, UnpackExec.reader(wanted, columns), count))
  }

  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan = copy(child = newChild)
}

/** Iterates over the rows of packets in a plain loop, because they are many. */
private final class UnpackedRows(
    packets: Iterator[InternalRow],
    packet: Expression,
    read: ByteReader => Iterator[UnsafeRow],
    count: SQLMetric)
    extends Iterator[InternalRow] {
  private var rows: Iterator[UnsafeRow] = Iterator.empty

  def hasNext: Boolean = {
    while (!rows.hasNext && packets.hasNext) rows = read(Rows.binary(packets.next(), packet))
    rows.hasNext
  }

  def next(): InternalRow = {
    val row = if (hasNext) rows.next() else throw new NoSuchElementException("no row is left")
    count += 1
    row
  }
}

private[spark] object UnpackExec {

  /** The only column of separated packets. */
  private val Only = BoundReference(0, BinaryType, nullable = false)

  /** Returns a reader of the rows of a packet, each in the format of [[Unpack]] and valid until the next one. */
  def reader(kinds: Seq[PacketRows], output: Seq[Attribute]): ByteReader => Iterator[UnsafeRow] = {
    val widths = kinds.map(rows => rows.kind -> rows.columns).toMap
    val wide   = if (kinds.sizeIs == 1) null else UnpackExec.wide(kinds, output)
    packet => new PacketIterator(new RowPacket.Reader(packet, widths), wide)
  }

  /** Iterates over the rows of a packet. With one kind, a row is emitted as it is in the packet. With several kinds, it
    * is preceded by its kind and has nulls in the columns of the others.
    *
    * @param wide
    *   creates a row of all columns, by kind; null if there is only one kind
    */
  private final class PacketIterator(packet: RowPacket.Reader, wide: Array[UnsafeProjection])
      extends Iterator[UnsafeRow] {
    private var isThere = false

    def hasNext: Boolean = {
      if (!isThere) isThere = packet.next()
      isThere
    }

    def next(): UnsafeRow = {
      if (!hasNext) throw new NoSuchElementException("no row is left")
      isThere = false
      if (wide == null) packet.row else wide(packet.kind)(packet.row)
    }
  }

  private def wide(kinds: Seq[PacketRows], output: Seq[Attribute]): Array[UnsafeProjection] = {
    val starts = kinds.scanLeft(1)(_ + _.columns)
    val all    = new Array[UnsafeProjection](kinds.map(_.kind).max + 1)
    kinds.zip(starts).foreach { case (rows, start) =>
      val own = output.indices.slice(start, start + rows.columns)
      all(rows.kind) = UnsafeProjection.create(Literal(rows.kind) +: output.indices.tail.map(i =>
        if (own.contains(i)) BoundReference(i - start, output(i).dataType, nullable = true)
        else Literal.create(null, output(i).dataType)))
    }
    all
  }
}
