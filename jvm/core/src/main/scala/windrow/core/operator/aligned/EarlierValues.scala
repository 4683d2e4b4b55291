package windrow.core.operator
package aligned

import windrow.core.grid.SliceGrid
import windrow.core.operator.gaps.StartRanges
import windrow.core.state.{ByteReader, ByteWriter, Codec}
import windrow.core.time.Axis

/** The messages of a key from which windows can carry values.
  *
  * @param covered
  *   starts of windows after which, but not after the next start, messages of open windows arrived
  */
private[aligned] final class EarlierValues[B](val covered: StartRanges) {

  /** The last value of messages that no open window contains. */
  var closed = Option.empty[B]

  /** The last slice with such a value. */
  var last = 0L
}

private[aligned] final class EarlierValuesCodec[B](grid: SliceGrid[Axis.Time], buffers: Codec[B])
    extends Codec[EarlierValues[B]] {
  def write(values: EarlierValues[B], out: ByteWriter): Unit = {
    values.covered.write(out)
    out.byte(if (values.closed.isDefined) 1 else 0)
    values.closed.foreach { buffer =>
      out.long(values.last)
      buffers.write(buffer, out)
    }
  }

  def read(in: ByteReader): EarlierValues[B] = {
    val values = new EarlierValues[B](new StartRanges(grid))
    values.covered.read(in)
    if (in.byte() == 1) {
      values.last = in.long()
      values.closed = Some(buffers.read(in))
    }
    values
  }
}
