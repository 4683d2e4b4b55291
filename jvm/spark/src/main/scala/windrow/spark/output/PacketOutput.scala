package windrow.spark.output

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import windrow.Reason
import windrow.core.operator.Counters
import windrow.core.state.ByteWriter
import windrow.spark.rows.RowPacket

/** Writes the output of a shard as packets of rows. */
private[spark] abstract class PacketOutput(counts: CountColumns) {
  private val out = new RowPacket.Writer(counts.all)
  private val byReason = Reason.OfRejected.zipWithIndex.map { case (reason, i) =>
    reason -> (counts.ofStep.size + i)
  }.toMap

  private val ofKind = counts.ofStep.size + counts.byReason.size

  /** Counts a row of a kind. */
  protected def count(kind: Int): Unit = out.add(ofKind + kind, 1)

  /** Counts a rejected row. */
  protected def count(reason: Reason): Unit = out.add(byReason(reason), 1)

  protected def put(kind: Int, row: UnsafeRow): Unit = out.put(kind, row)

  /** Starts a row whose size precedes it and returns the writer of its bytes. */
  protected def begin(kind: Int): ByteWriter = out.begin(kind)

  protected def reject(kind: Int, row: UnsafeRow, reason: Reason): Unit = {
    out.put(kind, row)
    count(reason)
  }

  /** Returns the packets of a step. The last one contains its counts.
    *
    * @param effects
    *   the effects, consumed one packet at a time
    * @param counted
    *   the counts of rows and the number of emitted rows, known once all effects have been consumed
    * @param write
    *   writes the rows of an effect
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
    val numbers = Seq(
      of.openWindows.getOrElse(0L),
      of.openChange.getOrElse(0L),
      one(of.openWindows.isDefined),
      one(of.openChange.isEmpty))
    numbers.zipWithIndex.foreach { case (n, i) => out.add(counts.names.size + i, n) }
  }
}
