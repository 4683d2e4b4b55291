package windrow.core.operator

import windrow.core.state.{ByteReader, ByteWriter, SpecFingerprint}
import windrow.core.time.{Axis, Distance, EventTime, Position, Watermark}

/** The start of a shard's header: the fingerprint, then the watermark. The lateness may grow. Windows that were removed
  * under a shorter lateness stay removed, so their limit is stored until the longer lateness has passed it, too
  * (SEMANTICS S2).
  */
private[core] final class HeaderStart(fingerprint: SpecFingerprint, lateness: Distance[Axis.Time]) {

  def read(in: ByteReader): Watermark = {
    val numbers = SpecFingerprint.numbers(fingerprint.check(in), ShardFingerprint.Lateness)
    val mark    = Watermark(in.long())
    val grown   = numbers.headOption.filter(was => was < lateness.value && mark.isDefined)
    val left    = grown.map(was => Position.minus(mark.micros, was)) ++ numbers.lift(1)
    mark.copy(left = left.maxOption.getOrElse(EventTime.Min))
  }

  def write(out: ByteWriter, at: Watermark): Unit = {
    val binds = at.left != EventTime.Min && at.leaves(lateness) == at.left
    (if (binds) fingerprint.noting(ShardFingerprint.Lateness, at.left) else fingerprint).write(out)
    out.long(at.micros)
  }
}
