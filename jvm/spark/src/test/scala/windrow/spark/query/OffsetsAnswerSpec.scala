package windrow.spark.query

import org.scalatest.funsuite.AnyFunSuite
import windrow._
import windrow.core.fullstate.FullStateShard
import windrow.core.operator.Origin
import windrow.core.state.{InMemoryShardStore, Key}
import windrow.core.store.Incoming
import windrow.core.time.Watermark

final class OffsetsAnswerSpec extends AnyFunSuite {

  test("SEMANTICS R27, S6: a shard reports its first stored offset, or that it stores no rows") {
    val spec = FullStateDraft(
      Tumbling("10 seconds"),
      Some(TimeSpan.Zero),
      retention = Retention(time = Some("10 seconds"))).checked
    val shard = new FullStateShard(spec, new InMemoryShardStore)
    def step(seconds: Long, messages: Incoming*): Seq[(Option[Long], Long)] = {
      shard.step(messages.iterator, Watermark(seconds * 1000000), None).foreach(_ => ())
      Answer.Offsets.find(new FullStateReader(shard), Question(None, None, None)).map(_.row).map(row =>
        (Option.unless(row.isNullAt(2))(row.getLong(2)), row.getLong(3))).toSeq
    }
    def message(offset: Long) =
      Incoming(new Key(Array[Byte](1)), Some(offset * 1000000), Some(Origin("s", 0, offset)), Array[Byte](1))
    assert(step(5, message(4), message(6)) == Seq((Some(4L), 7L)))
    assert(step(100) == Seq((None, 7L)))
  }
}
