package windrow.core.aggregate

import windrow.core.state.{ByteReader, ByteWriter, Segments}

/** The values that windows of a key showed on time, for aggregations that could not reproduce them bit for bit
  * (SEMANTICS R90). Windows are identified by a position, and by a stamp if several share the position. The values are
  * stored in pages like messages, because a key can have millions.
  */
private[core] final class ShownRun[B](aggregation: Aggregation[B, _], segments: Segments) {
  private val run = new KeyRun(new ShownRun.UncombinedValues(aggregation), new CellCodec(aggregation), segments)

  /** Adds a value.
    *
    * @param buffer
    *   the value; owned by the run afterwards
    */
  def put(position: Long, buffer: B, stamp: Long = 0): Unit = {
    run.insert(new Cell(position, Cell.Nothing, stamp, Cell.NotLate, None, count = 1, buffer, Cell.Nothing))
    ()
  }

  /** The value of a window, which must not be changed. */
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

  /** A pseudo-aggregation for values that are stored together and never combined. */
  private final class UncombinedValues[B](inner: Aggregation[B, _]) extends Aggregation[B, Nothing] {
    def zero: B                                 = inner.zero
    def combine(left: B, right: B): B           = left
    def copy(buffer: B): B                      = buffer
    def lower(buffer: B): Nothing               = throw new UnsupportedOperationException("values of several windows")
    def write(buffer: B, out: ByteWriter): Unit = inner.write(buffer, out)
    def read(in: ByteReader): B                 = inner.read(in)
  }
}
