package windrow.core.operator

import org.scalatest.funsuite.AnyFunSuite
import scala.collection.mutable
import scala.util.Random
import windrow._
import windrow.core.Full
import windrow.core.aggregate.Aggregation
import windrow.core.shard.Shard
import windrow.core.state._
import windrow.core.time.Watermark

/** Compares panes at the end of a step with panes computed from all messages, both if most keys of a window have
  * messages and if few have. The two ways to create them must give the same panes (SEMANTICS R15, R16). Restarts before
  * each step.
  */
final class EarlyPanesSuite extends AnyFunSuite {
  import EarlyPanesSuite._

  private val (seeds, count) = if (Full.isFull) (3, 2000) else (2, 80)

  private val windows = Seq(
    Tumbling(TimeSpan(60)),
    Hopping(TimeSpan(60), TimeSpan(20)),
    Hopping(TimeSpan(60), TimeSpan(25)), // slices of two lengths
    Hopping(TimeSpan(60), TimeSpan(3)),
    Hopping(TimeSpan(20), TimeSpan(60)))

  for (window <- windows; mode <- AccumulationMode.All; late <- Seq(EachBatch, Never))
    test(s"$window, $mode, late $late: each step's panes are those of its windows that messages reached") {
      for (seed <- 1 to seeds) {
        val shown = run(new Random(seed), count, window, mode, late)
        assert(shown.exists(_._2 == Timing.Early) && shown.exists(_._2 == Timing.OnTime))
      }
    }

  private def run(random: Random, count: Int, window: Hops, mode: AccumulationMode, late: PaneTrigger): Seq[Moment] = {
    val spec = WindowOperatorDraft(
      window,
      lateness = Some(TimeSpan(Late)),
      early = EachBatch,
      late = late,
      accumulation = Some(mode)).checked
    val store    = new InMemoryShardStore
    val expected = new Expected(window, mode, late)
    var number   = 0
    (1 to 24).flatMap { step =>
      // All keys, some, or one; then the watermark alone.
      val many = step % 4 match { case 0 => 0; case 1 => count; case 2 => 1 + count / 20; case 3 => 1 }
      val some = Vector.fill(many) {
        number += 1
        (random.nextInt(count), step * 15L - random.nextInt(Behind), number)
      }
      val now = Watermark(step * 15L - 70 + random.nextInt(3))
      val found = new Shard(spec, Numbers, store)
        .step(some.iterator.map { case (key, time, number) => entry(key, time, number) }, now, None).toVector
        .collect { case Effect.Fire(pane) => pane }.filterNot(_.isRetraction)
        .map(pane => (BigInt(pane.key.bytes).toInt, pane.start, pane.timing, pane.value))
      assert(
        found.groupBy(_._1).values.forall(of => inOrder(of.filter(_._3 == Timing.Early).map(_._2))),
        "a key's ascend")
      val wanted = expected.step(some, now.at)
      assert(found.size == found.distinct.size && found.toSet == wanted, s"step $step")
      found.map(pane => (pane._2, pane._3))
    }
  }

  private def inOrder(starts: Seq[Long]) = starts == starts.sorted
}

private object EarlyPanesSuite {
  type Hops   = FixedWindows
  type Moment = (Long, Timing)

  /** Key, time and number. */
  type Message = (Int, Long, Int)

  /** Key, start, timing and value of a pane. */
  type Shown = (Int, Long, Timing, Set[Int])

  val Late   = 200L
  val Behind = 100 // less than the lateness, so that no message is rejected

  /** An aggregation that changes buffers in place, so that the test detects a buffer that is shared. */
  object Numbers extends Aggregation[mutable.ArrayBuffer[Int], Set[Int]] {
    type Buffer = mutable.ArrayBuffer[Int]
    def zero: Buffer                                 = new Buffer
    def combine(left: Buffer, right: Buffer): Buffer = left ++= right
    def copy(buffer: Buffer): Buffer                 = buffer.clone()
    def lower(buffer: Buffer): Set[Int] = {
      assert(buffer.distinct.size == buffer.size, "a message twice")
      buffer.toSet
    }
    def write(buffer: Buffer, out: ByteWriter): Unit = {
      out.count(buffer.size.toLong)
      buffer.foreach(number => out.count(number.toLong))
    }
    def read(in: ByteReader): Buffer = mutable.ArrayBuffer.fill(in.size())(in.count().toInt)
  }

  def entry(key: Int, time: Long, number: Int): Entry[Numbers.Buffer] = Entry(
    new Key(BigInt(key).toByteArray),
    Some(time),
    value = 0,
    count = 1,
    mutable.ArrayBuffer(number),
    raw = BigInt(number).toByteArray,
    Some(Origin("messages", 0, number.toLong)),
    None)

  /** Computes the panes of each step from all messages. */
  final class Expected(window: Hops, mode: AccumulationMode, late: PaneTrigger) {
    private val (size, hop) = (window.size.micros, window.step.micros)
    private var held        = Map.empty[(Int, Long), Vector[Int]]
    private var unsent      = Map.empty[(Int, Long), Set[Int]].withDefaultValue(Set.empty)
    private var before      = Long.MinValue

    private def byWindow(some: Seq[Message]): Map[(Int, Long), Seq[Int]] =
      some.flatMap(message => windowsOf(message).map(_ -> message._3)).groupMap(_._1)(_._2)

    private def windowsOf(message: Message): Seq[(Int, Long)] =
      (Math.floorDiv(message._2, hop) * hop to message._2 - size by -hop).filter(_ > message._2 - size)
        .map((message._1, _))

    def step(some: Seq[Message], now: Long): Set[Shown] = {
      val (old, came) = (held, byWindow(some))
      came.foreach { case (id, numbers) => held += id -> (held.getOrElse(id, Vector.empty) ++ numbers) }
      came.foreach { case (id, numbers) => unsent += id -> (unsent(id) ++ numbers) }
      // If no trigger waits for the end of the step, the first message of a window that is already complete fires it
      // (R79).
      val atOnce: Set[Shown] = came.collect {
        case ((key, start), numbers) if late == Never && before >= start + size && !old.contains((key, start)) =>
          (key, start, Timing.Late: Timing, Set(numbers.head))
      }.toSet
      atOnce.foreach { case (key, start, _, numbers) => unsent += (key, start) -> (unsent((key, start)) -- numbers) }
      val atEnd: Set[Shown] = held.toSet.flatMap { (window: ((Int, Long), Vector[Int])) =>
        val (id @ (key, start), numbers) = window
        val timing: Option[Timing] =
          if (now < start + size) Option.when(came.contains(id))(Timing.Early)
          else if (before < start + size) Some(Timing.OnTime)
          else {
            val isDue = late == EachBatch && came.contains(id) || now >= start + size + Late
            Option.when(isDue && unsent(id).nonEmpty)(Timing.Late)
          }
        timing.map((key, start, _, if (mode == Discarding) unsent(id) else numbers.toSet))
      }
      atEnd.foreach { case (key, start, _, _) => unsent -= ((key, start)) }
      held = held.filter { case ((_, start), _) => now < start + size + Late }
      before = now
      atOnce ++ atEnd
    }
  }
}
