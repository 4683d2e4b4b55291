package windrow.core.operator

import windrow.core.time.{Position, Watermark}
import windrow.{Reason, WindowOperatorSpec}

/** Chooses the reasons for rejecting late messages. */
private[core] object Refusal {

  /** The reason for rejecting a message that is too late for all its windows (SEMANTICS R10). */
  def late(spec: WindowOperatorSpec, time: Long, watermark: Watermark): Reason =
    if (isOutOfRetention(spec, time, watermark)) Reason.OutOfRetention else Reason.TooLate

  /** Whether a message is out of retention for a window without an end, which does not protect it (SEMANTICS R10). */
  def isForgotten(spec: WindowOperatorSpec, time: Long, watermark: Watermark): Boolean =
    spec.window.holdsEverything && isOutOfRetention(spec, time, watermark)

  private def isOutOfRetention(spec: WindowOperatorSpec, time: Long, watermark: Watermark): Boolean =
    watermark.isDefined && spec.retention.time.exists(kept => time < Position.minus(watermark.micros, kept.micros))
}
