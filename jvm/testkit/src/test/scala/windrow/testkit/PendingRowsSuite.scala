package windrow.testkit

import org.scalatest.funsuite.AnyFunSuite
import windrow._
import windrow.core.join.{JoinEffect, JoinRow, JoinShard, PendingRow}
import windrow.core.state.InMemoryShardStore
import windrow.core.time.Watermark
import windrow.replay._

/** Checks that a join emits exactly the rows that it reports as pending (SEMANTICS S8): none earlier, and these at that
  * time.
  */
class PendingRowsSuite extends AnyFunSuite {
  private val nullKey = CoreKey.write(Value.Null)

  private def shard(spec: JoinSpec, store: InMemoryShardStore): JoinShard = new JoinShard(spec, store, _ == nullKey)

  private def step(spec: JoinSpec, store: InMemoryShardStore)(
      watermark: Watermark,
      now: Option[Long],
      messages: Seq[Message] = Nil): Seq[JoinRow] =
    shard(spec, store).step(
      messages.iterator.map(message =>
        (spec.names.indexOf(message.stream.getOrElse("")), CoreStores.incoming(message))),
      watermark,
      now).collect { case JoinEffect.Row(row) => row }.toVector

  private def shown(rows: Seq[JoinRow]): Seq[String] = rows.map(_.messages.map(_.map(CoreStores.shown)).toString).sorted

  /** @return
    *   the rows that were reported as pending
    */
  private def check(transcript: TranscriptCase, spec: JoinSpec): Seq[PendingRow] = {
    val store = new InMemoryShardStore
    transcript.steps.collect { case feed: Step.Feed => feed }.flatMap { feed =>
      step(spec, store)(feed.watermark.fold(Watermark.None)(Watermark(_)), feed.processingTime, feed.messages)
      val told = shard(spec, store).pending.toVector
      if (!spec.early.isInstanceOf[EveryPeriod]) assert(told.forall(_.watermark.isDefined), transcript.id)
      ofWatermark(transcript, spec, store.snapshot, told)
      ofPeriods(transcript, spec, store.snapshot, told)
      told
    }
  }

  /** With a period, a decided row waits for the end of the period, so this check does not apply. */
  private def ofWatermark(
      transcript: TranscriptCase,
      spec: JoinSpec,
      store: InMemoryShardStore,
      told: Seq[PendingRow]): Unit =
    if (!spec.early.isInstanceOf[EveryPeriod]) {
      val before = shard(spec, store).watermark
      told.flatMap(_.watermark).distinct.sorted.foreach { at =>
        assert(!before.reached(at), transcript.id)
        assert(step(spec, store)(Watermark(at - 1), None).isEmpty, transcript.id)
        val rows = step(spec, store)(Watermark(at), None)
        assert(shown(rows) == shown(told.filter(_.watermark.contains(at)).map(_.row)), transcript.id)
      }
      assert(shard(spec, store).pending.isEmpty, transcript.id)
    }

  private def ofPeriods(
      transcript: TranscriptCase,
      spec: JoinSpec,
      store: InMemoryShardStore,
      told: Seq[PendingRow]): Unit =
    told.flatMap(_.processingTime).distinct.sorted.foreach { at =>
      assert(step(spec, store)(Watermark.None, Some(at - 1)).isEmpty, transcript.id)
      val rows = step(spec, store)(Watermark.None, Some(at))
      assert(shown(rows) == shown(told.filter(_.processingTime.contains(at)).map(_.row)), transcript.id)
    }

  private val cases = (1L to 120L).map(RandomStoreCase.join(_)).flatMap(one =>
    one.operator.toOption.collect { case OperatorSpec.Join(spec) => one -> spec })

  test(s"${cases.size} random joins, after each step") {
    val told = cases.flatMap { case (transcript, spec) => check(transcript, spec).map(spec -> _) }
    def some(what: String)(of: (JoinSpec, PendingRow) => Boolean) =
      assert(told.exists { case (spec, row) => of(spec, row) }, what)
    Seq(JoinKind.Left, JoinKind.Right, JoinKind.Full, JoinKind.Anti).foreach(how =>
      some(how.toString)((spec, row) => spec.how == how && row.watermark.isDefined))
    some("a period")((_, row) => row.processingTime.isDefined)
    some("retention by count")((spec, row) => spec.retention.messages.isDefined && row.watermark.isDefined)
    some("a session")((spec, row) =>
      spec.within.isInstanceOf[Within.SameWindow] && row.watermark.isDefined && spec.retention == Retention.NotStated)
    assert(told.forall { case (spec, row) => row.watermark.isEmpty || spec.how != JoinKind.Inner })
  }

  test("specs of joins as JSON are read as they were") {
    cases.foreach { case (transcript, spec) =>
      assert(OperatorJson.read(OperatorJson.write(spec), Map.empty) == Right(CheckedSpec.Join(spec)), transcript.id)
    }
  }

  private val named = Seq(JoinStream("o"), JoinStream("s"), JoinStream("r"))

  test("omitted fields of random joins are read with their defaults, too") {
    val all = Seq(
      JoinDraft(
        named.take(2).map(_.copy(window = Some(OffsetRange(3, 2)))),
        hasKeys = false,
        lateness = Some(TimeSpan.Zero),
        retention = Retention(time = Some(TimeSpan(9))),
        startOffsets = Map("o" -> Map(0L -> 7L, 1L -> 8L), "s" -> Map(0L -> 9L))),
      JoinDraft(
        named,
        hasKeys = true,
        Within.Everything,
        lateness = Some(TimeSpan.Endless),
        retention = Retention(messages = Some(5)),
        maxFuture = Some(TimeSpan(60))),
      JoinDraft(
        named.take(2),
        hasKeys = true,
        Within.SameWindow(Tumbling("1 month", java.time.ZoneId.of("Europe/Berlin"))),
        lateness = Some(TimeSpan(1))))
    all.map(_.checked).foreach(spec =>
      assert(OperatorJson.read(OperatorJson.write(spec), Map.empty) == Right(CheckedSpec.Join(spec))))
  }

  test("ranges with different bounds are read as closed ones of the same messages") {
    val ranges = Map(
      "s" -> JoinRange(TimeSpan(0), TimeSpan(5), isLowOpen = true),
      "r" -> JoinRange(TimeSpan(-3), TimeSpan(5), isHighOpen = true))
    val spec = JoinDraft(named, hasKeys = true, Within.Ranges(ranges), lateness = Some(TimeSpan.Zero)).checked
    OperatorJson.read(OperatorJson.write(spec), Map.empty) match {
      case Right(CheckedSpec.Join(read)) =>
        assert(read.within == Within.Ranges(
          Map("s" -> JoinRange(TimeSpan(1), TimeSpan(5)), "r" -> JoinRange(TimeSpan(-3), TimeSpan(4)))))
      case other => fail(other.toString)
    }
  }
}
