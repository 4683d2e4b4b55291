package windrow.core.operator

import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tags.Slow
import scala.util.Random
import windrow._
import windrow.core.Full
import windrow.core.shard.Shard
import windrow.core.state.InMemoryShardStore
import windrow.core.time.Watermark

/** Completes more windows of a key in a step than are swept together. Each must be emitted once, with the value that it
  * has if it is completed alone (SEMANTICS S11).
  */
@Slow
class ManyAtOnceSuite extends AnyFunSuite {
  import GrowthSuite.{Windows => _, _}

  private val count  = if (Full.isFull) 100000 else 3000
  private val random = new Random(3)
  private val times  = (0 until count).toVector.grouped(200).flatMap(random.shuffle(_)).map(_ * 7L).toVector
  private val late   = random.shuffle(times).take(100).map(_ + 3)

  private type Shown = (Long, Long, String)

  /** Returns the panes on time, and the last pane of each window. */
  private def run(spec: WindowOperatorSpec, stops: Seq[Long]): (Map[Shown, Seq[Long]], Map[Shown, Long]) = {
    val store = new InMemoryShardStore
    def step(some: Seq[Long], to: Watermark) = new Shard(spec, new Counting, store)
      .step(some.iterator.map(time => entry(time, time, 1L)), to, None).toVector
    val all = step(times, Watermark(-1)) ++ stops.flatMap(to => step(Nil, Watermark(to))) ++
      step(late, Watermark(stops.last)) ++ step(Nil, Watermark.End)
    val panes = all.collect { case Effect.Fire(pane) if !pane.isRetraction => pane }
    assert(all.count { case Effect.Fire(_) => false; case _ => true } == 0)
    def shown(pane: Pane[_, Long]): Shown = (pane.start, pane.end, pane.message.fold("")(BigInt(_).toString))
    (
      panes.filter(_.timing == Timing.OnTime).groupMap(shown)(_.value),
      panes.map(pane => shown(pane) -> pane.value).toMap)
  }

  for {
    window     <- Seq(Sliding(TimeSpan(500), TimeSpan(1)), Over.Range(TimeSpan(500)), Over.Rows(7))
    completion <- Seq(CloseOn.Watermark, CloseOn.NextRow)
  } test(s"$window by $completion: a watermark at once gives what one in steps gives") {
    val spec = draft(window, completion).copy(
      lateness = Some(TimeSpan(100L * count)),
      accumulation = Some(Accumulating)).checked
    val end                  = 7L * count + 1000
    val (onTime, last)       = run(spec, Seq(end))
    val (inSteps, lastAfter) = run(spec, 0L to end by end / 40)
    assert(onTime.values.forall(_.sizeIs == 1) && last.size >= count)
    assert(onTime == inSteps && last == lastAfter)
  }
}
