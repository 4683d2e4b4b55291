package windrow.spark.query

import java.nio.charset.StandardCharsets.UTF_8
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite
import windrow._
import windrow.core.state.Damage

/** Tests the description of the state in a checkpoint (SEMANTICS S1, S6). */
final class StateDescriptorSpec extends AnyFunSuite {
  private val keys    = StructType.fromDDL("product string")
  private val message = StructType.fromDDL("product string, amounts array<bigint>")
  private val size    = Tumbling(TimeSpan(60000000))

  private val join = JoinDraft(
    Seq(JoinStream("orders"), JoinStream("shipments")),
    hasKeys = true,
    within = Within.Ranges(Map("shipments" -> JoinRange(TimeSpan(0), TimeSpan(5)))),
    lateness = Some(TimeSpan.Zero)).checked

  private val texts = AggregateTexts(message, Seq("sum(input0)"), Seq("total" -> "result0"))

  private def byKey(of: KeyedSpec) =
    StateDescriptor("orders", 4, keys, TimestampType, StateDescriptor.KeyedState(of, message, hasOffsets = true))

  private val all: Seq[DescriptorJson] = Seq(
    StateDescriptor(
      "orders",
      4,
      keys,
      TimestampType,
      StateDescriptor.Aggregates(
        WindowOperatorDraft(size, lateness = Some(TimeSpan.Zero)).checked,
        Right(texts),
        ordered = false)),
    StateDescriptor(
      "orders",
      4,
      keys,
      TimestampType,
      StateDescriptor.Messages(
        FullStateDraft(
          size,
          lateness = Some(TimeSpan.Zero),
          retention = Retention(time = Some(TimeSpan(100000000)))).checked,
        message,
        Seq("product"))),
    byKey(KeyedSpec.Dedup(
      DedupDraft(
        Some(TimeSpan(5)),
        Seq("amounts"),
        Some(TimeSpan.Zero),
        keep = Keep.Last,
        accumulation = Some(AccumulatingAndRetracting)).check.toOption.get,
      None)),
    byKey(KeyedSpec.Dedup(
      DedupDraft(Some(TimeSpan(5)), lateness = Some(TimeSpan.Zero)).check.toOption.get,
      Some(true))),
    byKey(KeyedSpec.Match(
      MatchDraft(
        "A B*",
        Seq("B" -> "amounts > A.amounts"),
        Seq("n" -> "count(*)"),
        Some(TimeSpan(7)),
        AfterMatch.NextRow,
        Some(TimeSpan(3))).check.toOption.get)),
    JoinDescriptor(join, 4, keys, Seq.fill(2)(JoinDescriptor.Side(message, TimestampType, hasOffsets = true))))

  test("written values are read") {
    all.foreach { one =>
      val read = StateDescriptor.read(one.bytes, "here")
      assert(read.map(_.shards).distinct == Seq(4))
      assert(read.forall(_.bytes.toSeq == one.bytes.toSeq))
    }
  }

  private val count = Damage.count(quick = 300, plain = 3000, full = 300000)

  test(s"S1: $count with other bytes are read, or refused by name") {
    val sound = all.map(_.bytes).toIndexedSeq
    val refused = Damage.refused("descriptors", sound.head, count)(random =>
      Damage.other(sound(random.nextInt(sound.size)), random))(StateDescriptor.read(_, "here"))
    assert(refused > count / 10)
  }

  test("S1: without a shard there is nothing to be asked") {
    val none = new String(all.head.bytes, UTF_8).replace("\"shards\":4", "\"shards\":0")
    assert(intercept[CheckpointError](StateDescriptor.read(none.getBytes(UTF_8), "here")).getMessage.startsWith(
      "[STATE_DAMAGED] The checkpoint 'here' cannot be read"))
  }

  test("SEMANTICS S14: a format that is not known is refused by name") {
    val later = new String(all.head.bytes, UTF_8).replaceFirst("\"format\":(\\d+)", "\"format\":99")
    assert(intercept[CheckpointError](StateDescriptor.read(later.getBytes(UTF_8), "here")).getMessage.startsWith(
      "[STATE_VERSION]"))
  }
}
