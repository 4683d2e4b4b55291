package windrow.testkit

import scala.util.Random
import windrow._
import windrow.replay._

/** Draws a valid spec of a family. Durations are a few dozen times [[pace]]. */
private[testkit] object RandomSpec {

  def apply(random: Random, family: RandomFamily): WindowOperatorDraft =
    Iterator.continually(draft(random, family)).find(_.check.isRight).get

  /** The unit, in microseconds, in which the times of a stream are drawn, so that the stream passes a few windows. */
  def pace(window: WindowKind): Long = window match {
    case calendar: Calendar => calendar.unit.most.micros / 12
    case _                  => 1L
  }

  private def draft(random: Random, family: RandomFamily): WindowOperatorDraft = {
    val window              = family.windows(random)
    def once(outOf: Int)    = random.nextInt(outOf) == 0
    def spans(number: Long) = TimeSpan(number * pace(window))
    val lateness = window match {
      case _: Count | _: OffsetSession | Global if once(2) => None
      case _ if family.isEndless                           => Some(TimeSpan.Endless)
      case _ if once(3)                                    => Some(TimeSpan.Zero)
      case Sliding(_, granularity) => Some(TimeSpan(granularity.micros * (1L + random.nextInt(10))))
      case _                       => Some(spans(1L + random.nextInt(40)))
    }
    val plain = WindowOperatorDraft(
      window = window,
      lateness = lateness,
      late = late(random),
      accumulation = Option.when(!lateness.contains(TimeSpan.Zero) || once(2))(Accumulating),
      maxFuture = Option.when(once(4))(spans(random.nextInt(40).toLong)),
      closeOn = family.closeOn,
      fillGaps = if (family.fillGaps) silence(random, window) else TimeSpan.Zero,
      retention =
        Retention(windows = Option.when(family.isEndless)(1L + random.nextInt(3))),
      startOffsets = window match {
        case _: OffsetRange => Map(0L -> random.nextInt(3).toLong, 1L -> (RandomSteps.Second + random.nextInt(3)))
        case _              => Map.empty
      })
    if (family.policies) withPolicies(random, plain) else plain
  }

  private def silence(random: Random, window: WindowKind): TimeSpan = window match {
    case windows: AlignedWindows if random.nextBoolean() =>
      TimeSpan(windows.longestStep.get.micros * (1L + random.nextInt(4)) + random.nextInt(20) * pace(window))
    case _ => TimeSpan.Endless
  }

  private def withPolicies(random: Random, plain: WindowOperatorDraft): WindowOperatorDraft = {
    def once(outOf: Int) = random.nextInt(outOf) == 0
    val mode             = AccumulationMode.All(random.nextInt(AccumulationMode.All.size))
    plain.copy(
      early = if (once(3)) Never else trigger(random),
      onTime = !once(6),
      late = if (once(3)) Never else trigger(random),
      accumulation = Some(mode),
      skipUnchanged = mode != Discarding && once(4),
      retention = if (once(4))
        plain.retention.copy(time = Some(TimeSpan((40L + random.nextInt(80)) * pace(plain.window))))
      else plain.retention)
  }

  private def late(random: Random): PaneTrigger = random.nextInt(4) match {
    case 0 => Never
    case 1 => EachMessage
    case 2 => EachBatch
    case _ => Every(2L + random.nextInt(3))
  }

  private def trigger(random: Random): PaneTrigger = random.nextInt(6) match {
    case 0 => EachMessage
    case 1 => EachBatch
    case 2 => Every(2L + random.nextInt(3))
    case 3 => EveryPeriod(TimeSpan(1L + random.nextInt(20)))
    case 4 => AnyOf(Seq(Every(2L + random.nextInt(3)), EveryPeriod(TimeSpan(1L + random.nextInt(20)))))
    case _ => AnyOf(Seq.fill(2)(late(random)).filter(_ != Never) :+ Every(4))
  }

  /** An aggregate of all messages of a window in order, and two other functions. */
  def aggregates(random: Random): Seq[(String, String)] =
    ("all" -> "collect") +: random.shuffle(ReferenceAggregates.Names).take(2).map(name => s"a_$name" -> name)
}
