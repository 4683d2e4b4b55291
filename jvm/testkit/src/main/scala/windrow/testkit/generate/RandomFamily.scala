package windrow.testkit

import java.time.ZoneId
import scala.util.Random
import windrow._

/** A family of random specs: the kinds of windows, and the options that may be set for them.
  *
  * @param windows
  *   draws one of the kinds
  * @param policies
  *   whether to draw early panes, periods, every accumulation mode, updated panes only, no on-time panes, and
  *   retention; otherwise only late panes
  * @param closeOn
  *   how windows become complete
  * @param fillGaps
  *   whether windows without messages also fire
  * @param isEndless
  *   whether the lateness is endless
  */
final case class RandomFamily(
    name: String,
    windows: Random => WindowKind,
    policies: Boolean = true,
    closeOn: CloseOn = CloseOn.Watermark,
    fillGaps: Boolean = false,
    isEndless: Boolean = false) {

  /** Whether ties show. If they do, messages must carry offsets, because engines break ties in their own ways. */
  def needsOffsets: Boolean = RandomFamily.Ordered(name)
}

object RandomFamily {

  /** Windows that Spark queries support. */
  val InQueries: RandomFamily = RandomFamily(
    "queries",
    random => if (random.nextInt(3) > 0) fixed(random) else session(random),
    policies = false)

  val Aligned: RandomFamily    = RandomFamily("aligned", fixed)
  val Calendar: RandomFamily   = RandomFamily("calendar", calendar)
  val Sessions: RandomFamily   = RandomFamily("sessions", session)
  val Cuts: RandomFamily       = RandomFamily("cut-sessions", cut)
  val Everything: RandomFamily = RandomFamily("global", _ => Global)

  val SlidingWindows: RandomFamily = RandomFamily("sliding", sliding)
  val OverWindows: RandomFamily    = RandomFamily("over", over)

  val Counts: RandomFamily        = RandomFamily("count", random => Count(upTo(random, 5), upTo(random, 6)))
  val OffsetWindows: RandomFamily = RandomFamily("offsets", random => OffsetRange(upTo(random, 6), upTo(random, 7)))
  val TupleSessions: RandomFamily = RandomFamily("tuple-sessions", random => OffsetSession(random.nextInt(5).toLong))

  val Tuples: Seq[RandomFamily] = Seq(Counts, OffsetWindows, TupleSessions)

  /** Windows that are complete at the first message beyond their end. */
  val ByFirstMessage: RandomFamily = RandomFamily(
    "first-message",
    random =>
      random.nextInt(7) match {
        case 0 => sliding(random)
        case 1 => over(random)
        case 2 => Counts.windows(random)
        case 3 => OffsetWindows.windows(random)
        case 4 => calendar(random)
        case _ => fixed(random)
      },
    closeOn = CloseOn.NextRow)

  val FilledGaps: RandomFamily = RandomFamily("filled-gaps", aligned, fillGaps = true)

  val FilledGapsByFirstMessage: RandomFamily =
    RandomFamily("filled-gaps-first-message", aligned, closeOn = CloseOn.NextRow, fillGaps = true)

  val Endless: RandomFamily = RandomFamily(
    "endless",
    random =>
      random.nextInt(6) match {
        case 0 => session(random)
        case 1 => sliding(random)
        case 2 => over(random)
        case 3 => OffsetWindows.windows(random)
        case 4 => calendar(random)
        case _ => fixed(random)
      },
    isEndless = true)

  /** Windows of panes that another operator emitted. */
  val Inherited: RandomFamily = RandomFamily("inherited", _ => Inherit())

  /** Windows in event time that the watermark completes, in every accumulation mode and with stored rows. */
  val Timed: Seq[RandomFamily] = Seq(Aligned, Calendar, Sessions, Everything, SlidingWindows, OverWindows)

  val All: Seq[RandomFamily] =
    (InQueries +: Timed) ++ Tuples ++ Seq(Cuts, ByFirstMessage, FilledGaps, FilledGapsByFirstMessage, Endless,
      Inherited)

  private val Ordered: Set[String] =
    (Seq(OverWindows, ByFirstMessage, FilledGapsByFirstMessage, Endless) ++ Tuples).map(_.name).toSet

  private def upTo(random: Random, n: Int): Long = 1L + random.nextInt(n)

  private def fixed(random: Random): FixedWindows = {
    val startTime = TimeSpan(if (random.nextBoolean()) 0 else random.nextInt(120) - 60L)
    random.nextInt(4) match {
      case 0 => Tumbling(TimeSpan(1), startTime)
      case 1 => Tumbling(TimeSpan(upTo(random, 30)), startTime)
      case 2 => Hopping(TimeSpan(upTo(random, 30)), TimeSpan(upTo(random, 35)), startTime)
      case _ => dense(random, upTo(random, 5), startTime)
    }
  }

  private def aligned(random: Random): AlignedWindows =
    if (random.nextInt(5) == 0) calendar(random) else fixed(random)

  /** Hopping windows of which many contain the same message. */
  private def dense(random: Random, step: Long, startTime: TimeSpan): Hopping =
    Hopping(TimeSpan(step * (4 + random.nextInt(12)) + random.nextInt(step.toInt)), TimeSpan(step), startTime)

  private def session(random: Random): Session =
    if (random.nextBoolean()) Session(TimeSpan(upTo(random, 15))) else Session.OfMessage

  /** Sessions that at least one more rule ends. */
  private def cut(random: Random): Session = {
    val rules = 1 + random.nextInt(7)
    session(random).copy(
      endsWith = Option.when((rules & 1) != 0)("marker"),
      maxLength = Option.when((rules & 2) != 0)(TimeSpan(upTo(random, 25))),
      split = if ((rules & 4) == 0) Nil else Seq(if (random.nextInt(4) == 0) "value" else "value > 0"))
  }

  private def sliding(random: Random): Sliding = {
    val granularity = if (random.nextInt(3) > 0) 1L else upTo(random, 4)
    Sliding(TimeSpan(granularity * random.nextInt(15)), TimeSpan(granularity))
  }

  private def over(random: Random): Over = random.nextInt(4) match {
    case 0 => Over.Everything
    case 1 => Over.Rows(upTo(random, 4))
    case _ => Over.Range(TimeSpan(random.nextInt(20).toLong))
  }

  private val Zones = Seq(
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Asia/Kathmandu",
    "Pacific/Apia",
    "America/Sao_Paulo",
    "Australia/Lord_Howe")

  private def calendar(random: Random): Calendar = {
    def one[T](of: Seq[T]): T = of(random.nextInt(of.size))
    val unit                  = one(CalendarUnit.All)
    val step = unit match {
      case CalendarUnit.Minute => one(Seq(1, 15, 90))
      case CalendarUnit.Hour   => one(Seq(1, 2, 6, 12))
      case _                   => 1 + random.nextInt(3)
    }
    val start = if (random.nextBoolean()) CalendarStart.Zero
    else if (unit.most.micros <= CalendarUnit.Week.most.micros)
      CalendarStart(0, TimeSpan(upTo(random, 3000) * 600000000L))
    else CalendarStart(random.nextInt(30) - 10, TimeSpan(random.nextInt(28 * 24) * 3600000000L))
    val count = if (random.nextInt(3) > 0) step else step * (1 + random.nextInt(4))
    windrow.Calendar(count, step, unit, ZoneId.of(one(Zones)), start)
  }
}
