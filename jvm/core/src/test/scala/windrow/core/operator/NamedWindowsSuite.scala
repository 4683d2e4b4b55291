package windrow.core.operator

import java.time.ZoneId
import org.scalatest.Assertions.{assert, fail}
import org.scalatest.funsuite.AnyFunSuite
import scala.util.Random
import windrow._
import windrow.core.Full
import windrow.core.aggregate.{Aggregation, OrderedAggregation, OrderedBuffer}
import windrow.core.shard.{Shard, ShardSpaces}
import windrow.core.state._
import windrow.core.time.Watermark
import windrow.core.trigger.PendingFiring
import windrow.operators.Sum

/** Compares several windows in one shard with a shard for each window, after each step, with a restart between steps
  * (SEMANTICS R152, R153).
  */
class NamedWindowsSuite extends AnyFunSuite {
  import NamedWindowsSuite._

  private val cases = if (Full.isFull) 2000 else 100

  for ((kind, aggregation) <- Seq("overwrites" -> 0, "keeps the order of" -> 1))
    test(s"R152: an aggregate that $kind its buffers has the panes of separate shards") {
      var (panes, refused, partly, corrected) = (0, 0, 0, 0)
      (1 to cases).foreach { seed =>
        val one   = new Case(new Random(seed.toLong * 2 + aggregation))
        val found = if (aggregation == 0) one.run(Overwriting)(n => Array(n)) else one.run(InOrder)(inOrder)
        panes += found.panes
        refused += found.refused
        partly += found.partly
        corrected += found.corrected
      }
      val least = cases / 10
      assert(Seq(panes, refused, partly, corrected).forall(_ > least), (panes, refused, partly, corrected))
    }

  test("R153: a row that no window accepts counts once, and its rejections name their windows") {
    val shard =
      new Shard(spec(Seq("a" -> Tumbling(TimeSpan(10)), "b" -> Tumbling(TimeSpan(100)))), Sum, new InMemoryShardStore)
    shard.step(Iterator(row(1, 5)), Watermark(50), None).foreach(_ => ())
    val partly = shard.step(Iterator(row(2, 6)), Watermark(200), None).toVector
    assert(rejections(partly) == Seq(Some("a") -> false))
    assert((shard.counters.accepted, shard.counters.rejected) == (2, 0))
    val all = shard.step(Iterator(row(3, 7)), Watermark(200), None).toVector
    assert(rejections(all) == Seq(Some("a") -> true, Some("b") -> false))
    assert((shard.counters.accepted, shard.counters.rejected) == (2, 1))
    val unusable = shard.step(Iterator(row(4, 8).copy(time = None)), Watermark(200), None).toVector
    assert(rejections(unusable) == Seq(None -> true))
    assert((shard.counters.accepted, shard.counters.rejected) == (2, 2))
  }

  test("R153: a duplicate is recognized as long as one of the windows accepts its row") {
    val shard =
      new Shard(spec(Seq("a" -> Tumbling(TimeSpan(10)), "b" -> Tumbling(TimeSpan(100)))), Sum, new InMemoryShardStore)
    val partitions = 1025L // the offsets of one of them can be forgotten, once no window accepts its rows
    def all        = (0L until partitions).iterator.map(n => row(n, 5).copy(origin = Some(Origin("rows", n, 0))))
    shard.step(all, Watermark(0), None).foreach(_ => ())
    shard.step(Iterator.empty, Watermark(50), None).foreach(_ => ()) // only "b" accepts such a row now
    shard.step(all, Watermark(50), None).foreach(_ => ())
    assert((shard.counters.accepted, shard.counters.duplicates) == (partitions, partitions))
  }

  test("R152: the order of the windows does not matter, but their names and settings do") {
    val store                                 = new InMemoryShardStore
    def words(windows: (String, WindowKind)*) = new SpecFingerprint(ShardFingerprint.of(spec(windows)))
    def open(windows: (String, WindowKind)*)  = new Shard(spec(windows), Sum, store, words(windows: _*))
    val (a, b)                                = (Tumbling(TimeSpan(10)), Tumbling(TimeSpan(20)))
    open("a" -> a, "b" -> b).step(Iterator(row(1, 5)), Watermark(0), None).foreach(_ => ())
    assert(open("b" -> b, "a" -> a).openWindows.size == 2)
    for (other <-
        Seq(Seq("a" -> a), Seq("a" -> a, "c" -> b), Seq("a" -> b, "b" -> a), Seq("a" -> a, "b" -> b, "c" -> b)))
      assert(intercept[CheckpointError](open(other: _*)).getMessage.contains("SPEC_CHANGED"))
  }

  private def spec(windows: Seq[(String, WindowKind)]) =
    WindowOperatorDraft(NamedWindows(windows), lateness = Some(TimeSpan.Zero)).checked

  private def row(id: Long, time: Long): Entry[Long] =
    Entry(new Key(Array(1)), Some(time), 0, 1, id, BigInt(id).toByteArray, None)

  private def rejections(effects: Seq[Effect[Long, Long]]) =
    effects.collect { case Effect.Reject(_, _, _, window, isCounted) => window -> isCounted }
}

private object NamedWindowsSuite {

  /** Sums into the left buffer, so that a buffer that two windows share gives wrong sums. */
  object Overwriting extends Aggregation[Array[Long], Long] {
    def zero: Array[Long] = Array(0L)
    def combine(left: Array[Long], right: Array[Long]): Array[Long] = {
      left(0) += right(0)
      left
    }
    def copy(buffer: Array[Long]): Array[Long]            = buffer.clone
    def lower(buffer: Array[Long]): Long                  = buffer(0)
    def write(buffer: Array[Long], out: ByteWriter): Unit = out.long(buffer(0))
    def read(in: ByteReader): Array[Long]                 = Array(in.long())
    override def isExact: Boolean                         = true
  }

  /** Keeps the messages in pieces of their own. */
  val InOrder = new OrderedAggregation(Sum, pieceBytes = 40)

  def inOrder(n: Long): OrderedBuffer[Long] = InOrder.lift(BigInt(n).toByteArray, n)

  final case class Row(id: Long, key: Int, time: Option[Long], number: Long)

  final case class Found(panes: Int, refused: Int, partly: Int, corrected: Int)

  private val Berlin = ZoneId.of("Europe/Berlin")
  private val Hour   = 3600000000L

  /** A random set of windows, with rows, steps and restarts. */
  final class Case(random: Random) {
    private def pick[T](all: T*): T = all(random.nextInt(all.size))
    private def upTo(n: Int): Long  = random.nextInt(n).toLong

    // Some cases are in hours around the end of daylight saving time, where days have other lengths.
    private val unit  = pick(1L, 1L, Hour)
    private val start = if (unit == Hour) 1761350400000000L else 0L

    private def span(units: Long) = TimeSpan(units * unit)

    private def kind(): WindowKind = random.nextInt(if (unit == Hour) 6 else 4) match {
      case 0 => Tumbling(span(1 + upTo(20)), span(upTo(3)))
      case 1 => Hopping(span(1 + upTo(30)), span(1 + upTo(10)))
      case 2 => Session(span(1 + upTo(12)))
      case 3 => Tumbling(span(40))
      case 4 => Tumbling(pick("1 day", "2 days", "1 week", "6 hours"), Berlin)
      case 5 => Hopping("2 days", step = "1 day", Berlin)
    }

    private def trigger(): PaneTrigger =
      pick(Never, Never, EachMessage, EachBatch, Every(2), EveryPeriod(TimeSpan(5)), AnyOf(Seq(EachBatch, Every(3))))

    private val windows = (0 to random.nextInt(5)).map(i => s"w$i" -> kind())

    private val draft = Iterator.continually(WindowOperatorDraft(
      NamedWindows(windows),
      lateness = Some(pick(TimeSpan.Zero, span(upTo(30)), span(3))),
      early = trigger(),
      onTime = random.nextInt(5) > 0,
      late = trigger(),
      accumulation = Some(pick(Accumulating, Discarding, AccumulatingAndRetracting)),
      skipUnchanged = random.nextInt(4) == 0,
      maxFuture = pick(None, Some(span(60))))).find(_.check.isRight).get

    private val hasOffsets = random.nextInt(3) == 0

    private val steps: Seq[(Seq[Row], Watermark, Long)] = {
      var (now, mark) = (start, Watermark.None)
      (0 until 3 + random.nextInt(5)).map { step =>
        val rows = Seq.fill(random.nextInt(12)) {
          val time = Option.when(random.nextInt(20) > 0)(now + (upTo(50) - 30) * unit + upTo(2))
          Row(upTo(500), random.nextInt(3), time, upTo(9) - 2)
        }
        now += upTo(25) * unit
        if (random.nextInt(4) > 0) mark = mark.max(if (step > 5) Watermark.End else Watermark(now - upTo(15) * unit))
        (rows, mark, now)
      }
    }

    private def entry[B](row: Row, window: WindowKind, lift: Long => B): Entry[B] = Entry(
      new Key(BigInt(row.key).toByteArray),
      row.time,
      window.rowValue.of(None).get,
      count = 1,
      lift(row.number),
      BigInt(row.id).toByteArray,
      Option.when(hasOffsets)(Origin("rows", row.id % 2, row.id)))

    /** Compares a step of all windows with a step of each. */
    def run[B](aggregation: Aggregation[B, Long])(lift: Long => B): Found = {
      var found = Found(0, 0, 0, 0)
      val kinds = (NamedWindows(windows): WindowKind) +: windows.map(_._2)
      val specs = kinds.map(kind => draft.copy(window = kind).checked)
      val spaces = specs.map(spec =>
        ShardSpaces.of(spec, keepsMessages = aggregation.storage.isDefined, hasOffsets).toSet)
      val stores = kinds.map(_ => new InMemoryShardStore)
      steps.foreach { case (rows, mark, now) =>
        val shards = specs.zip(stores).map { case (spec, store) => new Shard(spec, aggregation, store) }
        val effects = shards.zip(kinds).map { case (shard, kind) =>
          shard.step(rows.iterator.map(entry(_, kind, lift)), mark, Some(now)).toVector
        }
        val all = effects.head
        windows.zip(effects.tail).foreach { case ((name, _), own) =>
          compare(name, all, own, rows)
        }
        compareState(shards)
        stores.zip(spaces).foreach { case (store, known) => assert(store.entries.map(_._1).toSet.subsetOf(known)) }
        val counters = shards.head.counters
        assert(counters.accepted + counters.rejected + counters.duplicates + counters.gaps == rows.size)
        val named = all.collect { case one: Effect.Reject[B] if one.window.isDefined => one }
        found = Found(
          found.panes + all.count(_.isInstanceOf[Effect.Fire[_]]),
          found.refused + named.size,
          found.partly + named.count(!_.isCounted),
          found.corrected + all.count { case Effect.Fire(pane) => pane.index > 0; case _ => false })
      }
      found
    }

    private def compare[B](name: String, all: Seq[Effect[B, Long]], own: Seq[Effect[B, Long]], rows: Seq[Row]): Unit = {
      val panes    = all.collect { case Effect.Fire(pane) if pane.name.contains(name) => pane.copy(name = None) }
      val expected = own.collect { case Effect.Fire(pane) => pane }
      if (panes != expected) fail(s"$name of $draft after $rows has the panes $panes instead of $expected")
      if (!hasOffsets) { // several windows recognize a duplicate for as long as one of them accepts the row
        val refused = all.collect {
          case Effect.Reject(entry, reason, at, window, _) if window.forall(_ == name) =>
            (Key(entry.raw), reason, at)
        }
        assert(refused == own.collect { case Effect.Reject(entry, reason, at, _, _) => (Key(entry.raw), reason, at) })
      }
    }

    private def Key(bytes: Array[Byte]): Key = new Key(bytes)

    private def compareState[B](shards: Seq[Shard[B, Long]]): Unit = {
      val whole = shards.head
      assert(whole.watermark == shards(1).watermark)
      assert(whole.processingDeadline == shards.tail.flatMap(_.processingDeadline).minOption)
      def open(shard: Shard[B, Long], name: Option[String]) = shard.openWindows.map(one =>
        (one.name.orElse(name), one.key, one.bounds, one.isComplete, shard.value(one))).toSet
      def pending(shard: Shard[B, Long], name: Option[String]): Set[(Option[String], Key, Long, PendingFiring)] =
        shard.pending.map { case (one, next) => (one.name.orElse(name), one.key, one.bounds.start, next) }.toSet
      val named = windows.map(one => Some(one._1)).zip(shards.tail)
      assert(open(whole, None) == named.flatMap { case (name, one) => open(one, name) }.toSet)
      assert(pending(whole, None) == named.flatMap { case (name, one) => pending(one, name) }.toSet)
      val counts = shards.tail.map(_.counters.openWindows)
      assert(whole.counters.openWindows == (if (counts.contains(None)) None else Some(counts.flatten.sum)))
    }
  }
}
