package windrow.advice

import windrow.Hopping
import windrow.Session
import windrow.TimeSpan
import windrow.WindowKind
import windrow.core.store.LatenessCounts
import windrow.core.time.EventTime
import windrow.core.window.LastEnd

/** What a lateness would have done.
  *
  * @param caught
  *   the share of the messages that it would have taken
  * @param corrected
  *   None: a join has no windows that fire. An estimate of the share of the windows that would have fired again: of n windows that fired on time, with k late
  *   messages in m windows each, 1 - e^(-k m / n), as if late messages chose their windows by chance
  * @param growth
  *   an estimate of how much more would be kept, as a share of what is: (s + lateness) / (s + present lateness) - 1, where
  *   s is how long a window takes messages until it ends
  */
final case class LatenessEffect(lateness: TimeSpan, caught: Double, corrected: Option[Double], growth: Double)

/** Which lateness would have caught how much, of the messages that a query has seen.
  *
  * @param advised
  *   the least lateness that catches the share that was asked for
  * @param present
  *   that of the query
  * @param table
  *   for other shares
  * @param late
  *   messages that came when their last window had ended
  * @param windows
  *   that fired on time
  */
final case class Advice(
    share: Double,
    advised: LatenessEffect,
    present: LatenessEffect,
    table: Seq[(Double, LatenessEffect)],
    messages: Long,
    late: Long,
    windows: Long)

object Advice {
  private val Shares = Seq(0.9, 0.95, 0.99, 0.995, 0.999, 0.9999, 1.0)

  /** Messages can be late for such windows. */
  private[windrow] def knows(window: WindowKind): Boolean = LastEnd.of(window)(0) != EventTime.Max

  /** @param share
    *   of the messages that are to be caught, above 0 and at most 1
    */
  private[windrow] def of(window: WindowKind, present: TimeSpan, counts: LatenessCounts, share: Double): Advice = {
    val several = window match {
      case Hopping(size, step, _) => math.max(1.0, size.micros.toDouble / step.micros)
      case _                      => 1.0
    }
    of(spanOf(window), Some(several), present, counts, share)
  }

  /** Of a join.
    *
    * @param span
    *   how long messages wait for partners
    */
  private[windrow] def ofJoin(span: Long, present: TimeSpan, counts: LatenessCounts, share: Double): Advice =
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
      val spared = math.floor((1.0 - share) * counts.messages + 1e-9).toLong // that may be missed
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
      counts.windows)
  }

  /** Up to what is easily said. */
  private def round(micros: Long): Long = {
    val unit = Seq(86400000000L, 3600000000L, 60000000L, 1000000L).find(_ * 60 <= micros).getOrElse(1000L)
    (micros + unit - 1) / unit * unit
  }

  /** From the first message that a window may have to its end. */
  private def spanOf(window: WindowKind): Long = window match {
    case Session(Some(gap)) => gap.micros
    case other              => LastEnd.of(other)(0)
  }
}
