package windrow.core.aggregate

import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter
import windrow.core.state.Segments

/** What windows of a key showed on time, as it was shown, where it cannot be made again to the bit (SEMANTICS R90). Windows are named
  * by a position, where several share one also by a stamp. In pieces, as the messages are: a key can have millions.
  */
private[core] final class ShownRun[B](aggregation: Aggregation[B, _], segments: Segments) {
  private val run = new KeyRun(new ShownRun.Apart(aggregation), new CellCodec(aggregation), segments)

  /** @param buffer
    *   is the run's own from then on
    */
  def put(position: Long, buffer: B, stamp: Long = 0): Unit = {
    run.insert(new Cell(position, Cell.Nothing, stamp, Cell.NotLate, None, count = 1, buffer, Cell.Nothing))
    ()
  }

  /** Not to be changed. */
  def at(position: Long, stamp: Long = 0): Option[B] =
    if (run.isEmpty) None
    else run.acceptedAfter(stamp - 1, run.indexOf(position), run.indexOf(position + 1)).nextOption()
      .filter(_.stamp == stamp).map(_.buffer)

  def dropBelow(position: Long): Unit = if (!run.isEmpty) run.dropFirst(run.indexOf(position))
  def clear(): Unit                   = run.clear()

  def write(out: ByteWriter): Unit = {
    out.byte(if (run.isEmpty) 0 else 1)
    if (!run.isEmpty) run.write(out)
  }

  def read(in: ByteReader): Unit = if (in.byte() == 1) run.read(in)
}

private object ShownRun {

  /** Values that stand side by side and are never combined. */
  private final class Apart[B](inner: Aggregation[B, _]) extends Aggregation[B, Nothing] {
    def zero: B                                 = inner.zero
    def combine(left: B, right: B): B           = left
    def copy(buffer: B): B                      = buffer
    def lower(buffer: B): Nothing               = throw new UnsupportedOperationException("values of several windows")
    def write(buffer: B, out: ByteWriter): Unit = inner.write(buffer, out)
    def read(in: ByteReader): B                 = inner.read(in)
  }
}
