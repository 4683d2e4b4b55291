package windrow.core.operator

import org.scalatest.funsuite.AnyFunSuite
import scala.util.Random
import windrow._
import windrow.core.Full
import windrow.core.grid.FixedGrid
import windrow.core.operator.gaps.{GapLimits, KeyGaps}
import windrow.core.shard.Shard
import windrow.core.state._
import windrow.core.time.{Axis, Distance, Watermark}

/** Checks that the windows without messages do not depend on the steps of the watermark (SEMANTICS R3, R1). */
class GapCutSuite extends AnyFunSuite {
  private val count = if (Full.isFull) 5000 else 40

  /** Times of messages with their keys, followed by a watermark. */
  private type Step = (Seq[(Int, Long)], Long)

  private def fired(
      spec: WindowOperatorSpec,
      steps: Seq[Step],
      store: InMemoryShardStore = new InMemoryShardStore): Seq[(Int, Long, Long)] =
    steps.flatMap { case (messages, watermark) =>
      val entries = messages.iterator.map { case (key, time) =>
        Entry(new Key(Array(key.toByte)), Some(time), 0, 1, 1L, null, None)
      }
      new Shard(spec, operators.Sum, store).step(entries, Watermark(watermark), None).collect {
        case Effect.Fire(pane) => (pane.key.bytes.head.toInt, pane.start, pane.value)
      }.toVector
    }.sorted

  private def oneByOne(steps: Seq[Step], from: Long, by: Long): Seq[Step] =
    steps.scanLeft((Seq.empty[Step], from)) { case ((_, before), (messages, to)) =>
      val stops = (before + by until to by by) :+ to
      ((messages, stops.head) +: stops.tail.map((Seq.empty, _)), to)
    }.flatMap(_._1)

  private def gaps(size: Long, silence: TimeSpan, closeOn: CloseOn): WindowOperatorSpec =
    WindowOperatorDraft(Tumbling(TimeSpan(size)), Some(TimeSpan.Zero), fillGaps = silence, closeOn = closeOn).checked

  for (complete <- CloseOn.All) test(s"$count random streams by $complete: jumps are equal to single moves") {
    (1 to count).foreach { seed =>
      val random     = new Random(seed)
      var (at, last) = (0L, 0L)
      val steps = Seq.fill(1 + random.nextInt(6)) {
        last = at
        at += 1 + (if (random.nextBoolean()) random.nextInt(30) else random.nextInt(400))
        (Seq.fill(random.nextInt(4))((random.nextInt(3), last + random.nextInt(60))), at)
      }
      val spec = gaps(10, if (random.nextBoolean()) TimeSpan(10L + random.nextInt(100)) else TimeSpan.Endless, complete)
      assert(fired(spec, steps) == fired(spec, oneByOne(steps, 0, 1)), s"seed $seed")
    }
  }

  for (lateness <- Seq(0L, 100L))
    test(s"S2: a key goes on for another silence unless it was over, lateness $lateness") {
      def gaps(silence: Long) =
        WindowOperatorDraft(
          Hopping(TimeSpan(10), TimeSpan(40)),
          Some(TimeSpan(lateness)),
          accumulation = Some(Accumulating),
          fillGaps = TimeSpan(silence)).checked
      for (stopped <- 11L to 60L; others <- Seq(0, 1, 120); change <- Seq((40L, 100L), (100L, 40L), (100L, 80L))) {
        val store = new InMemoryShardStore
        fired(gaps(change._1), Seq((Seq((1, 5L)), 0L), (Seq.fill(others)((2, 5L)), stopped)), store)
        val after = (3 until 3 + others).map(key => (key, stopped + 30L))
        val found = fired(gaps(change._2), Seq((after, stopped + 1), (Nil, 200L)), store).filter(_._1 == 1).map(_._2)
        // With 40 the key's last window is the one from 40 to 50, with 80 and 100 the one from 80 to 90.
        val right = change match {
          case (40, _) => if (stopped < 50) Seq(40L, 80L) else Nil
          case (_, 40) => if (stopped < 50) Seq(40L) else Nil
          case _       => if (stopped < 50) Seq(40L, 80L) else Seq(80L)
        }
        assert(found == right, s"$stopped $others $change")
      }
    }

  test("SEMANTICS R122: a key with windows that wait is not over") {
    val most = new Distance[Axis.Time](15)
    val gaps = new KeyGaps(new FixedGrid(10, 10, 0), GapLimits(new Distance(0), most, keepsEnded = true, Some(most)))
    gaps.add(0, 0, Watermark.None)
    gaps.await(10, 10)
    gaps.tidy(Watermark(22)): Unit
    assert(!gaps.isOver && gaps.deadline(Watermark(22)) == 25)
    gaps.takeAll(10, 10)
    assert(gaps.isOver)
  }

  test("a jump of a day is equal to 1,440 moves, and holds no window") {
    val minute = 60000000L
    val spec   = gaps(minute, TimeSpan(2 * minute), CloseOn.Watermark)
    val steps  = Seq((Seq((1, minute / 2)), 0L), (Seq((2, 1440 * minute + 1)), 1440 * minute))
    val jumped = fired(spec, steps)
    assert(jumped == fired(spec, oneByOne(steps, 0, minute)) && jumped.size == 3)
  }

  test("a year of windows without messages is not held") {
    val spec  = gaps(10, TimeSpan.Endless, CloseOn.Watermark)
    val store = new InMemoryShardStore
    val year  = 31536000L
    def step(time: Long, to: Long) =
      new Shard(spec, operators.Sum, store, guards = Guards(maxPendingOutput = 1000)).step(
        Iterator(Entry(new Key(Array(1.toByte)), Some(time), 0, 1, 1L, null, None)),
        Watermark(to),
        None)
    step(1, 0).foreach(_ => ())
    assert(intercept[GuardError](step(year, year).foreach(_ => ())).problem.code == "TOO_MUCH_OUTPUT")
  }
}
