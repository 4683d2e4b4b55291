package windrow.core.fullstate

import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tags.Slow
import windrow._
import windrow.core.Full
import windrow.core.operator.Origin
import windrow.core.state.{CountingStore, Growth, Key}
import windrow.core.store.Incoming
import windrow.core.time.Watermark

/** Checks that the cost of a step of full state does not grow with the number of windows of its key, whether these are
  * open, wait for a period or are remembered. The cost is measured in bytes read and written, and in bytes allocated on
  * the heap (SEMANTICS S10).
  */
@Slow
class ManyWindowsSuite extends AnyFunSuite {
  import ManyWindowsSuite._

  private val few  = 100
  private val many = if (Full.isFull) 40000 else 1000

  private val kinds = Seq(
    "tumbling"              -> Tumbling(TimeSpan(Apart)),
    "hopping"               -> Hopping(TimeSpan(Apart), TimeSpan(Apart / 2)),
    "sessions"              -> Session(Some(TimeSpan(10))),
    "sessions of their own" -> Session(None),
    "sliding"               -> Sliding(TimeSpan(10), TimeSpan(1)),
    "over a range"          -> Over.Range(TimeSpan(150)),
    "over rows"             -> Over.Rows(3),
    "count"                 -> Count(1),
    "offsets"               -> OffsetRange(Apart),
    "sessions of positions" -> OffsetSession(3))

  for ((name, window) <- kinds; life <- Seq(Open, Waiting, Remembered)) test(s"$name, ${life.name}") {
    cost(few, window, life): Unit // loads classes and compiles code
    val (one, other) = (cost(few, window, life), cost(many, window, life))
    // A step reads and writes pages, and summaries of them with a few bytes for each window.
    assert(
      other.stored <= 2 * one.stored + Steps * (40000 + 12 * many) &&
        other.allocated <= 2 * one.allocated + Steps * (400000 + 200 * many),
      s"each step among $few: ${one.shown}, among $many: ${other.shown}")
  }

  /** Measures steps that reach an old window, create a new one, and move the watermark past one. */
  private def cost(windows: Int, window: WindowKind, life: Life): Growth.Cost = Growth.costAfter { store =>
    val running = new Running(life.spec(window), store)
    (0 until windows).grouped(500).foreach { some =>
      val at = if (life == Remembered) some.last * Apart else -1L
      running.step(some.map(message(_)), at, now = 1)
    }
    val from = if (life == Remembered) windows * Apart else Apart * windows / 3
    () =>
      (0 until Steps).foreach { i =>
        val back = if (life == Remembered) 1 else windows / 2
        val next = Seq(message(windows + i - back, behind = 1 + i.toLong), message(windows + i))
        running.step(next, from + i * Apart, now = 2 + i.toLong)
      }
  }
}

private object ManyWindowsSuite {
  val Apart = 100L
  val Steps = 20
  val key   = new Key(Array(1))

  sealed abstract class Life(val name: String, lateness: Long, early: PaneTrigger) {
    def spec(window: WindowKind): FullStateSpec = FullStateDraft(
      window,
      lateness = Option.when(!Seq(Count(1), OffsetSession(3)).contains(window))(TimeSpan(lateness)),
      early = early,
      late = if (early == Never) EachBatch else early,
      retention = Retention(time = Some(TimeSpan(100000000000L)))).checked
  }
  case object Open       extends Life("that are open", 1000000000L, Never)
  case object Waiting    extends Life("that wait for a period", 1000000000L, EveryPeriod(TimeSpan(1000000)))
  case object Remembered extends Life("that are remembered", 0, Never)

  /** A message in its own windows.
    *
    * @param behind
    *   a distance from the first message of these windows, for a second message in the same windows
    */
  def message(n: Int, behind: Long = 0): Incoming = {
    val at = n * Apart + behind
    Incoming(key, Some(at), Some(Origin("s", 0, at)), Array(1, 2, 3), Some(10L))
  }

  /** A shard that is read again from its store for every other step. */
  final class Running(spec: FullStateSpec, store: CountingStore) {
    private var shard = new FullStateShard(spec, store)
    private var count = 0

    def step(messages: Seq[Incoming], to: Long, now: Long): Unit = {
      if (count % 2 == 0) shard = new FullStateShard(spec, store)
      count += 1
      shard.step(messages.sorted(Incoming.order(spec.window)).iterator, Watermark(to), Some(now)).foreach(_ => ())
    }
  }
}
