package windrow.core.fullstate

import org.scalatest.funsuite.AnyFunSuite
import scala.util.Random
import windrow._
import windrow.core.operator.Origin
import windrow.core.state.{InMemoryShardStore, Key}
import windrow.core.store.Incoming
import windrow.core.time.{Axis, Watermark}

/** Very many windows of one key, whose messages arrive out of order. Divided into many steps, with a restart from the
  * stored bytes between any two of them, they must give the result of a single step (SEMANTICS R1, R10, R22, S10).
  */
class FullStateCutSuite extends AnyFunSuite {
  import FullStateCutSuite._

  private val (count, rounds) = sys.props.getOrElse("windrow.mode", "default") match {
    case "quick" => (300, 1)
    case "full"  => (10000, 5)
    case _       => (600, 1)
  }

  private val kinds = Seq(
    Tumbling(TimeSpan(30)),
    Hopping(TimeSpan(40), TimeSpan(15)),
    Session(Some(TimeSpan(9))),
    Session(None),
    Sliding(TimeSpan(12), TimeSpan(1)),
    Over.Range(TimeSpan(20)),
    Over.Rows(3),
    Count(3, 2),
    OffsetRange(6, 4),
    OffsetSession(1))

  for (window <- kinds) test(s"$window: $count messages of a key") {
    (1 to rounds).foreach { seed =>
      val parts    = if (window.isInstanceOf[Count]) 1 else 2 // numbers of a key follow the order of steps
      val messages = disordered(count, parts, new Random(seed.toLong))
      val whole    = fed(window, Seq(messages), restarts = false, pageBytes = 4096)
      assert(whole.came.size > count * 9 / 10 && whole.left > 0)
      val cut = fed(window, messages.grouped(37).toSeq, restarts = true, pageBytes = 4096)
      same(cut, whole)
      same(fed(window, messages.grouped(101).toSeq, restarts = false, pageBytes = 300), whole)
    }
  }

  private def differ(what: String, found: Seq[String], wanted: Seq[String]): Unit =
    assert((found.diff(wanted).take(3), wanted.diff(found).take(3)) == ((Nil, Nil)), s"$what, of ${wanted.size}")

  private def same(found: Run, wanted: Run): Unit = {
    differ("where messages come out", found.came, wanted.came)
    differ("what is kept", found.messages, wanted.messages)
    differ("what is known of windows", found.windows, wanted.windows)
  }
}

private object FullStateCutSuite {
  private val key       = new Key(Array(7))
  private val Disorder  = 400
  private val Retention = 3000L

  /** @param came
    *   each message, by its offset and partition, with its window
    * @param left
    *   number of messages that retention has removed
    */
  final case class Run(came: Seq[String], messages: Seq[String], windows: Seq[String], left: Long)

  /** Messages about 10 apart, in the order of their offsets. */
  def disordered(count: Int, parts: Int, random: Random): Seq[Incoming] = {
    val times = Seq.tabulate(count)(_ * 10L + random.nextInt(9))
      .map(time => (time + random.nextInt(Disorder), time)).sorted.map(_._2)
    val next = Array.fill(parts)(0L)
    times.map { time =>
      val part   = random.nextInt(parts)
      val offset = next(part) + random.nextInt(4)
      next(part) = offset + 1
      Incoming(key, Some(time), Some(Origin("s", part.toLong, offset)), Array(1), Some(1 + time % 13))
    }
  }

  private def name(message: Option[Origin]): String =
    message.fold("")(from => s"${from.partition.number}/${from.offset}")

  /** Runs the steps. No message is late for any of its windows. */
  def fed(window: WindowKind, steps: Seq[Seq[Incoming]], restarts: Boolean, pageBytes: Int): Run = {
    val spec = FullStateDraft(
      window,
      lateness = if (window.isInstanceOf[Count] || window.isInstanceOf[OffsetSession]) None else Some(TimeSpan.Zero),
      early = Never,
      retention = windrow.Retention(time = Some(TimeSpan(Retention)))).checked
    val store  = new InMemoryShardStore
    def opened = new FullStateShard(spec, store, pageBytes = pageBytes)
    var shard  = opened
    var left   = 0L
    val came   = Seq.newBuilder[String]
    val times  = steps.map(_.flatMap(_.time))
    val ahead  = times.drop(1).map(_.min).scanRight(times.flatten.max + 500)(math.min) // least of all later times
    steps.zip(ahead).foreach { case (messages, to) =>
      shard.step(messages.sorted(Incoming.order(window)).iterator, Watermark(to - 1), Some(1L)).foreach {
        case FullStateEffect.Fire(pane) =>
          val at = s"${pane.start} ${pane.end} ${pane.partition} "
          came ++= pane.value.map(message => at + name(message.origin))
        case refused => throw new AssertionError(refused.toString)
      }
      if (restarts) {
        left += shard.retired
        shard = opened
      }
    }
    val windows = if (window == Over.Rows(3)) Nil
    else shard.getWindows(None, None).map(row => // they also count removed messages
      s"${row.start} ${row.end} ${row.partition} ${row.count} ${row.offsets.toSeq.sortBy(_._1)} ${name(row.message.flatMap(_.origin))}")
    Run(
      came.result().sorted,
      shard.getMessages(None, None, None, Axis.Time).map(message => name(message.origin)),
      windows,
      left + shard.retired)
  }
}
