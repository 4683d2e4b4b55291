package windrow.core.operator

import org.scalatest.funsuite.AnyFunSuite
import windrow._
import windrow.core.aggregate.Aggregation
import windrow.core.fullstate.{FullStateEffect, FullStateShard}
import windrow.core.shard.Shard
import windrow.core.state._
import windrow.core.store.Incoming
import windrow.core.time.{Distance, Watermark}

/** Checks that an identity may be forgotten as soon as its message would be rejected anyway, and no earlier
  * (SEMANTICS R13, A5).
  */
final class RefusalTimeSuite extends AnyFunSuite {

  private object Counting extends Aggregation[Long, Long] {
    def zero: Long                                 = 0
    def copy(buffer: Long): Long                   = buffer
    def combine(left: Long, right: Long): Long     = left + right
    def lower(buffer: Long): Long                  = buffer
    def write(buffer: Long, out: ByteWriter): Unit = out.long(buffer)
    def read(in: ByteReader): Long                 = in.long()
  }

  private val lateness = TimeSpan(20)
  private val key      = new Key(Array.emptyByteArray)

  private val ofTime = Seq[WindowKind](
    Tumbling(TimeSpan(50)),
    Hopping(TimeSpan(50), TimeSpan(10)),
    Session(TimeSpan(30)),
    Sliding(TimeSpan(40), TimeSpan(1)),
    Over.Range(TimeSpan(40)),
    Global)

  private def retention(window: WindowKind) =
    if (window == Global) Retention(time = Some(TimeSpan(70))) else Retention.NotStated

  /** Whether a shard with this watermark rejects a message of this time. */
  private def refuses(window: WindowKind, watermark: Long, time: Long): Boolean = {
    val spec = WindowOperatorDraft(
      window,
      Some(lateness),
      early = if (window == Global) EachBatch else Never,
      accumulation = Some(Accumulating),
      retention = retention(window)).checked
    val shard = new Shard(spec, Counting, new InMemoryShardStore)
    shard.step(Iterator.empty, Watermark(watermark), None).foreach(_ => ())
    shard.step(Iterator(Entry(key, Some(time), 30, 1, 1L, Array.emptyByteArray, None)), Watermark.None, None)
      .exists(_.isInstanceOf[Effect.Refuse[_]])
  }

  private def refusesMessage(window: WindowKind, watermark: Long, time: Long): Boolean = {
    val kept  = Retention(time = Some(if (window == Global) TimeSpan(70) else TimeSpan(1000)))
    val spec  = FullStateDraft(window, Some(lateness), retention = kept).checked
    val shard = new FullStateShard(spec, new InMemoryShardStore)
    shard.step(Iterator.empty, Watermark(watermark), None).foreach(_ => ())
    shard.step(Iterator(Incoming(key, Some(time), None, Array.emptyByteArray)), Watermark.None, None)
      .exists(_.isInstanceOf[FullStateEffect.Refuse])
  }

  for (window <- ofTime)
    test(s"$window: a message is refused exactly from then on") {
      val refusal = new RefusalTime(window, new Distance(lateness.micros), retention(window))
      for (time <- -30L to 100L by 13; watermark <- 1L to 250L by 3) {
        val place = if (window.isInstanceOf[Session]) time + 30 else time
        val past  = refusal.hasCome(place, Watermark(watermark))
        assert(past == refuses(window, watermark, time), s"at $time, watermark $watermark")
        assert(past == refusesMessage(window, watermark, time), s"at $time, watermark $watermark, full state")
      }
    }

  for (window <- Seq(Count(3), OffsetRange(3), OffsetSession(3), Global, Over.Rows(3)))
    test(s"$window${if (window == Global) "" else " without end"}: nothing is ever refused by its time") {
      val refusal = new RefusalTime(window, Distance.endless, Retention.NotStated)
      assert(!refusal.hasCome(0, Watermark(Long.MaxValue - 1)))
    }

  test("a message without a place is always rejected, one whose place is unknown never") {
    val refusal = new RefusalTime(Tumbling(TimeSpan(50)), new Distance(lateness.micros), Retention.NotStated)
    assert(refusal.hasCome(Long.MinValue, Watermark.None))
    assert(!refusal.hasCome(Long.MaxValue, Watermark.End))
  }
}
