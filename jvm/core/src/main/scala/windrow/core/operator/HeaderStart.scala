package windrow.core.operator

import windrow.TimeSpan
import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter
import windrow.core.state.SpecFingerprint
import windrow.core.time.EventTime
import windrow.core.time.Watermark

/** What the header of a shard begins with: what may not change, then the watermark. The lateness may grow; what had left
  * under a shorter one stays away, and is remembered until the longer one lets it go too (SEMANTICS S2).
  */
private[core] final class HeaderStart(fingerprint: SpecFingerprint, lateness: TimeSpan) {

  def read(in: ByteReader): Watermark = {
    val numbers = SpecFingerprint.numbers(fingerprint.check(in), ShardFingerprint.Lateness)
    val mark    = Watermark(in.long())
    val grown   = numbers.headOption.filter(was => was < lateness.micros && mark.isDefined)
    val left    = grown.map(was => EventTime.plus(mark.micros, -was)) ++ numbers.lift(1)
    mark.copy(left = left.maxOption.getOrElse(Long.MinValue))
  }

  def write(out: ByteWriter, at: Watermark): Unit = {
    val binds = at.left != Long.MinValue && at.leaves(lateness.micros) == at.left
    (if (binds) fingerprint.noting(ShardFingerprint.Lateness, at.left) else fingerprint).write(out)
    out.long(at.micros)
  }
}
