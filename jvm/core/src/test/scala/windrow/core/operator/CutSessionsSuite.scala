package windrow.core.operator

import org.scalatest.funsuite.AnyFunSuite
import scala.collection.mutable
import scala.util.Random
import windrow._
import windrow.core.Full
import windrow.core.operator.sessions.WithdrawnSessions
import windrow.core.shard.Shard
import windrow.core.state.{InMemoryShardStore, Key}
import windrow.core.time.Watermark
import windrow.operators.Sum

/** Compares long sessions that more than a gap ends with sessions formed from all sorted rows (SEMANTICS W9). The rows
  * of a key fill many pages, and each step runs in a new shard over the stored state.
  */
final class CutSessionsSuite extends AnyFunSuite {
  import CutSessionsSuite._

  private val rows  = if (Full.isFull) 20000 else 2000
  private val seeds = if (Full.isFull) 1 to 30 else 1 to 2

  private val rules = Seq(
    "a row ends them"               -> Rules(ends = 300),
    "they have a length"            -> Rules(most = Some(700)),
    "a value changes"               -> Rules(changes = 200),
    "all of these"                  -> Rules(most = Some(400), ends = 50, changes = 70),
    "a gap of each row"             -> Rules(most = Some(900), ends = 90, ownGaps = true),
    "a length shorter than the gap" -> Rules(most = Some(3)))

  for ((name, rule) <- rules; disorder <- Seq(0, 40, 3000); seed <- seeds)
    test(s"W9: $rows rows, $name, disorder of $disorder, seed $seed") {
      val all      = drawn(rule, rows, seed)
      val expected = formed(all, rule)
      assert(run(all, rule, disorder, seed) == expected)
      assert(expected.size > 3)
    }

  test("R84: two numbers are kept for each start, however many sessions of it were withdrawn") {
    val all = for (round <- 1L to 1000L; start <- Seq(0L, 10L)) yield WithdrawnSessions(start, start + round % 7, round)
    assert(WithdrawnSessions.together(all) == Seq(WithdrawnSessions(0, 6, 1000), WithdrawnSessions(10, 16, 1000)))
  }

  /** Returns what remains of the panes, without those that were withdrawn. */
  private def run(all: Seq[Row], rule: Rules, disorder: Int, seed: Int): Map[(Long, Long), Long] = {
    val random = new Random(seed)
    val arrived = all.map(row => row -> (row.time + (if (disorder == 0) 0 else random.nextInt(disorder))))
      .sortBy(_._2).map(_._1)
    val store = new InMemoryShardStore
    val left  = mutable.Map.empty[(Long, Long), Long]
    val last  = mutable.Map.empty[(Long, Long), Long] // the greatest index of the panes of each window
    val spec = WindowOperatorDraft(
      Session(Gap).copy(endsWith = Some("ends"), maxLength = rule.most.map(TimeSpan(_)), split = Seq("value")),
      lateness = Some(TimeSpan(1000000)),
      early = if (seed % 2 == 0) EachBatch else Never,
      accumulation = Some(Accumulating)).checked
    val steps = arrived.grouped(100).toVector
    for ((step, i) <- steps.zipWithIndex) {
      val watermark = if (i + 1 == steps.size) Long.MaxValue / 2 else step.map(_.time).max
      new Shard(spec, Sum, store).step(step.sortBy(_.time).iterator.map(entry), Watermark(watermark), None).foreach {
        case Effect.Fire(pane) if pane.isRetraction =>
          assert(left.remove(pane.start -> pane.end).contains(pane.value))
          assert(last(pane.start -> pane.end) == pane.index)
        case Effect.Fire(pane) =>
          left(pane.start -> pane.end) = pane.value
          assert(last.put(pane.start -> pane.end, pane.index).forall(_ < pane.index), "R84: the numbers go on")
        case other => fail(other.toString)
      }
    }
    left.toMap
  }

  private def entry(row: Row): Entry[Long] = Entry(
    key,
    Some(row.time),
    row.gap,
    count = 1,
    buffer = row.amount,
    raw = key.bytes,
    origin = None,
    mark = Some(SessionMark(row.ends, new Key(BigInt(row.value).toByteArray))))
}

private object CutSessionsSuite {
  private val Gap = TimeSpan(20)
  private val key = new Key(Array[Byte](1))

  /** @param ends
    *   one of this many rows ends its session; 0 for none
    * @param changes
    *   the value changes after about this many rows; 0 for never
    */
  final case class Rules(most: Option[Long] = None, ends: Int = 0, changes: Int = 0, ownGaps: Boolean = false)

  final case class Row(time: Long, gap: Long, ends: Boolean, value: Int, amount: Long)

  private def drawn(rule: Rules, rows: Int, seed: Int): Seq[Row] = {
    val random           = new Random(seed)
    def once(outOf: Int) = outOf > 0 && random.nextInt(outOf) == 0
    var (time, value)    = (0L, 0)
    Vector.fill(rows) {
      time += (if (once(250)) 30L else if (once(5)) 0L else 1L + random.nextInt(3))
      if (once(rule.changes)) value = random.nextInt(3)
      Row(
        time,
        if (rule.ownGaps) 1L + random.nextInt(40) else Gap.micros,
        once(rule.ends),
        value,
        1L + random.nextInt(9))
    }
  }

  /** Forms sessions in one pass over the sorted rows. */
  private def formed(all: Seq[Row], rule: Rules): Map[(Long, Long), Long] = {
    val times = all.groupBy(_.time).toSeq.sortBy(_._1).map(_._2)
    val sessions = times.foldLeft(Vector.empty[Vector[Seq[Row]]]) {
      case (earlier :+ open, next) if continues(open, next, rule) => earlier :+ (open :+ next)
      case (earlier, next)                                        => earlier :+ Vector(next)
    }
    val starts = sessions.drop(1).map(next => Some(next.head.head.time)) :+ None
    sessions.zip(starts).map { case (open, next) =>
      val (start, last) = (open.head.head.time, open.last.head.time)
      val ends          = Seq(reach(open)) ++ rule.most.map(start + _) ++ next
      (start -> (if (open.last.exists(_.ends)) last + 1 else ends.min), open.flatten.map(_.amount).sum)
    }.toMap
  }

  private def reach(open: Seq[Seq[Row]]): Long = open.flatten.map(row => row.time + row.gap).max

  private def continues(open: Seq[Seq[Row]], next: Seq[Row], rule: Rules): Boolean =
    !open.last.exists(_.ends) && next.head.time <= reach(open) &&
      rule.most.forall(next.head.time - open.head.head.time < _) &&
      open.last.map(_.value).toSet == next.map(_.value).toSet
}
