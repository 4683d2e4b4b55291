package windrow.advice

import windrow.WindowFamily._
import windrow.core.store.LatenessCounts
import windrow.core.time.EventTime
import windrow.core.window.LastEnd
import windrow.{NamedWindows, TimeSpan, WindowKind}

/** The effect that a lateness would have had.
  *
  * @param caught
  *   share of the messages that it would have accepted
  * @param corrected
  *   estimated share of the windows that would have fired again; None for a join, whose windows do not fire. With n
  *   windows that fired on time and k late messages in m windows each it is 1 - e^(-k m / n), assuming that late
  *   messages are distributed randomly over windows.
  * @param growth
  *   estimated relative growth of the state: (s + lateness) / (s + present lateness) - 1, where s is how long a window
  *   accepts messages before it ends
  */
final case class LatenessEffect(lateness: TimeSpan, caught: Double, corrected: Option[Double], growth: Double)

/** A recommended lateness for the messages that a query has seen, with alternatives.
  *
  * @param advised
  *   the least lateness that catches the requested share
  * @param present
  *   the query's lateness
  * @param table
  *   the least lateness for other shares
  * @param late
  *   number of messages that arrived after their last window had ended
  * @param windows
  *   number of windows that fired on time
  * @param delays
  *   the late messages by the least lateness that accepts them, ascending
  */
final case class Advice(
    share: Double,
    advised: LatenessEffect,
    present: LatenessEffect,
    table: Seq[(Double, LatenessEffect)],
    messages: Long,
    late: Long,
    windows: Long,
    delays: Seq[(TimeSpan, Long)])

object Advice {

  /** The share of the messages to catch unless another one is requested. */
  private[windrow] val Share = 0.999

  private val Shares = Seq(0.9, 0.95, 0.99, 0.995, 0.999, 0.9999, 1.0)

  /** Whether messages can be late for these windows. */
  private[windrow] def knows(window: WindowKind): Boolean = LastEnd.of(window)(0) != EventTime.Max

  /** The advice for a windowed operator.
    *
    * @param share
    *   share of the messages to catch, above 0 and at most 1
    */
  private[windrow] def of(window: WindowKind, present: TimeSpan, counts: LatenessCounts, share: Double): Advice = {
    of(each(window).map(spanOf).max, Some(each(window).map(windowsOfMessage).sum), present, counts, share)
  }

  /** The windows themselves, if there are several, or else the only one. */
  private def each(window: WindowKind): Seq[WindowKind] = window match {
    case NamedWindows(windows) => windows.map(_._2)
    case one                   => Seq(one)
  }

  private def windowsOfMessage(window: WindowKind): Double = window.family match {
    case Aligned(windows) =>
      val steps = for (size <- window.extent; step <- windows.longestStep) yield size.micros.toDouble / step.micros
      math.max(1.0, steps.getOrElse(1.0))
    case SingleWindow | _: GapFamily | _: Inherited | _: Run | _: Numbered | _: OffsetFamily | _: Several => 1.0
  }

  /** The advice for an operator that emits rows instead of windows.
    *
    * @param span
    *   how long messages are stored if the lateness is 0
    */
  private[windrow] def ofRows(span: Long, present: TimeSpan, counts: LatenessCounts, share: Double): Advice =
    of(span, None, present, counts, share)

  private def of(
      span: Long,
      windowsOfMessage: Option[Double],
      present: TimeSpan,
      counts: LatenessCounts,
      share: Double): Advice = {
    val buckets = counts.all.map { case (bucket, count) => LatenessCounts.upTo(bucket) -> count }.toVector
    val late    = buckets.map(_._2).sum

    def effect(lateness: Long): LatenessEffect = {
      val taken = buckets.takeWhile(_._1 <= lateness).map(_._2).sum
      LatenessEffect(
        TimeSpan(lateness),
        if (counts.messages == 0) 1.0 else 1.0 - (late - taken).toDouble / counts.messages,
        windowsOfMessage.map(several =>
          if (counts.windows == 0) 0.0 else 1.0 - math.exp(-taken * several / counts.windows)),
        (span + lateness).toDouble / math.max(1L, span + present.micros) - 1.0)
    }
    def least(share: Double): LatenessEffect = {
      val spared = math.floor((1.0 - share) * counts.messages + 1e-9).toLong // messages that may be missed
      val needed = buckets.scanRight(0L) { case ((_, count), after) => after + count }.indexWhere(_ <= spared)
      effect(if (needed <= 0) 0L else round(buckets(needed - 1)._1))
    }
    Advice(
      share,
      least(share),
      effect(present.micros),
      Shares.map(one => one -> least(one)),
      counts.messages,
      late,
      counts.windows,
      buckets.map { case (lateness, count) => TimeSpan(lateness) -> count })
  }

  /** Rounds up to a multiple of a common unit. */
  private def round(micros: Long): Long = {
    val unit = Seq(86400000000L, 3600000000L, 60000000L, 1000000L).find(_ * 60 <= micros).getOrElse(1000L)
    (micros + unit - 1) / unit * unit
  }

  /** Time from the first possible message of a window to its end. */
  private def spanOf(window: WindowKind): Long = window.family match {
    case sessions: GapFamily if sessions.gap.isDefined => sessions.gap.get.micros
    case _: Aligned | SingleWindow | _: GapFamily | _: Inherited | _: Run | _: Numbered | _: OffsetFamily |
        _: Several =>
      LastEnd.of(window)(0)
  }
}
