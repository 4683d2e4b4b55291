package windrow.spark.output

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import windrow.Reason
import windrow.core.operator.Counters
import windrow.core.state.ByteWriter
import windrow.spark.rows.RowPacket

/** Writes what a shard gives as packets of rows. */
private[spark] abstract class PacketOutput(counts: CountColumns) {
  private val out      = new RowPacket.Writer(counts.all)
  private val byReason = Reason.All.zipWithIndex.map { case (reason, i) => reason -> (counts.ofStep.size + i) }.toMap

  private val ofKind = counts.ofStep.size + counts.byReason.size

  /** Counts a row by its number among the kinds. */
  protected def count(kind: Int): Unit = out.add(ofKind + kind, 1)

  protected def put(kind: Int, row: UnsafeRow): Unit = out.put(kind, row)

  /** Where a row is to be written, behind its size. */
  protected def begin(kind: Int): ByteWriter = out.begin(kind)

  protected def reject(kind: Int, row: UnsafeRow, reason: Reason): Unit = {
    out.put(kind, row)
    out.add(byReason(reason), 1)
  }

  /** The packets of a step; the last one has its counts.
    *
    * @param effects
    *   taken as packets are
    * @param counted
    *   what became of the messages, and how much came out; known when all effects are taken
    * @param write
    *   puts the rows of an effect
    */
  final def packets[E](effects: Iterator[E], counted: => (Counters, Long))(write: E => Unit): Iterator[Array[Byte]] =
    new Iterator[Array[Byte]] {
      private var isOver = false

      def hasNext: Boolean = !isOver

      def next(): Array[Byte] = {
        if (isOver) throw new NoSuchElementException("no packet is left")
        while (!out.isFull && effects.hasNext) write(effects.next())
        if (!effects.hasNext) {
          isOver = true
          val (of, sent) = counted
          Seq(of.accepted, of.rejected, of.duplicates, of.gaps, sent).zipWithIndex.foreach { case (n, i) =>
            out.add(i, n)
          }
          if (counts.windows) countWindows(of)
        }
        out.result()
      }
    }

  private def countWindows(of: Counters): Unit = {
    def one(isSo: Boolean) = if (isSo) 1L else 0L
    val told = Seq(
      of.openWindows.getOrElse(0L),
      of.openChange.getOrElse(0L),
      one(of.openWindows.isDefined),
      one(of.openChange.isEmpty))
    told.zipWithIndex.foreach { case (n, i) => out.add(counts.names.size + i, n) }
  }
}
