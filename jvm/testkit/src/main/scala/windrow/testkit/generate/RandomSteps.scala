package windrow.testkit

import scala.util.Random
import windrow._
import windrow.replay._

/** A stream whose event time wanders forward, with messages that are early, late, tied or exactly on an edge. */
private[testkit] final class RandomSteps(random: Random, spec: WindowOperatorDraft, offsets: Boolean, scale: Int) {
  private val keys: Seq[Scalar] =
    random.shuffle(
      Value.Null +: (1 until 4 * scale).map(number => Scalar(s"k$number"))).take(1 + random.nextInt(4 * scale))
  private val windows  = ReferenceWindows(spec.checked)
  private val pace     = RandomSpec.pace(spec.window)
  private val lateness = spec.lateness.filter(_ != TimeSpan.Endless).fold(0L)(_.micros)
  private val reach    = 1 + random.nextInt(30) // maximal distance of a message from the present
  private val delay    = random.nextInt(25) * pace
  private val isTimed = spec.window match {
    case _: TupleWindows | Global => false
    case _                        => true
  }

  private var present        = pick(if (pace == 1) RandomSteps.Starts else RandomSteps.ClockChanges) + some(40)
  private var watermark      = Option.empty[Long]
  private var processingTime = Option.empty[Long]
  private var sent           = Vector.empty[Message]
  private var held           = Vector.empty[Message]
  private var nextOffset = Map(
    0 -> random.nextInt(3).toLong,
    1 -> (if (isTimed) 0L else RandomSteps.Second)
  ) // so that windows of two partitions print differently

  def result(): Seq[Step] = Seq.fill(1 + random.nextInt(12))(step()).flatten

  /** Draws a time of fewer than `below` paces. */
  private def some(below: Int): Long = random.nextInt(below) * pace

  private def once(outOf: Int): Boolean = random.nextInt(outOf) == 0

  private def pick[T](all: Seq[T]): T = all(random.nextInt(all.size))

  private def step(): Seq[Step] = {
    present += some(20)
    val messages = if (once(5)) Nil else Seq.fill(random.nextInt(6 * scale + 1))(message())
    if (!once(3)) processingTime = Some(processingTime.getOrElse(present) + random.nextInt(20))
    val moved = nextWatermark().filter(to => watermark.forall(_ <= to))
    moved.foreach(to => watermark = Some(to))
    val feed = Step.Feed(messages, moved, processingTime.filter(_ => random.nextBoolean()))
    if (once(8)) Seq(feed, Step.Restart) else Seq(feed)
  }

  private def nextWatermark(): Option[Long] = random.nextInt(6) match {
    case 0 | 1 => None
    case 2 | 3 => Some(present - delay)
    case 4     => Some(present + some(60)) // a jump: completes windows of which the stream still has messages
    case 5     => Option.when(sent.nonEmpty)(pick(edges(pick(sent))))
  }

  /** Draws a new message, a replay, or a message that was held back, so that it is out of the order of offsets. */
  private def message(): Message =
    if (offsets && sent.nonEmpty && once(8)) pick(sent)
    else if (held.nonEmpty && once(3)) {
      val next = held.head
      held = held.tail
      sent :+= next
      next
    } else if (once(12)) {
      held :+= made()
      message()
    } else {
      sent :+= made()
      sent.last
    }

  private def made(): Message = {
    val time = Option.when(!once(25))(eventTime())
    val made = Message(pick(keys), time, Scalar(random.nextInt(21) - 10L), gap = gap(), marker = marker())
    if (offsets) identified(made) else made
  }

  private def gap(): Option[Long] = Option.when(spec.window.rowValue.isOwn)(1L + random.nextInt(12))

  private def marker(): Boolean = spec.window match {
    case session: Session => session.endsWith.isDefined && once(5)
    case _                => false
  }

  private def identified(message: Message): Message = {
    val partition = random.nextInt(2)
    val offset    = nextOffset(partition)
    nextOffset += partition -> (offset + (if (once(6)) 2 else if (once(12)) 1 + random.nextInt(8) else 1))
    message.copy(partition = Some(partition), offset = Some(offset))
  }

  private def eventTime(): Long = random.nextInt(12) match {
    case 0 if sent.nonEmpty       => pick(sent).time.getOrElse(present)
    case 1 | 2 if sent.nonEmpty   => pick(edges(pick(sent)))
    case 3 if watermark.isDefined => watermark.get + random.nextInt(3) - 1
    case 4                        => present - some(100)
    case 5                        => present + some(100)
    case _                        => present + some(2 * reach) - reach * pace
  }

  /** Returns the times at which something changes for the windows of a message: their bounds, the ends of their
    * lateness, and the times directly before and after each.
    */
  private def edges(message: Message): Seq[Long] = {
    val bounds = if (isTimed) windows.own(message, sequence = 0) else Nil
    val exact  = bounds.flatMap(window => Seq(window.start, window.end, Bounds.plus(window.end, lateness)))
    if (exact.isEmpty) Seq(present) else exact ++ exact.map(_ - 1) ++ exact.map(_ + 1)
  }
}

private[testkit] object RandomSteps {

  /** The first offset of the second partition. */
  val Second = 1000L

  val Starts: Seq[Long] = Seq(0L, -50L, 1000L, -100000L, 1700000000000000L)

  /** The day before clocks go forward and the day before they go back in Europe, the day before Samoa skipped a day,
    * and the epoch.
    */
  val ClockChanges: Seq[Long] = Seq(1711756800000000L, 1729900800000000L, 1325116800000000L, 0L)
}
