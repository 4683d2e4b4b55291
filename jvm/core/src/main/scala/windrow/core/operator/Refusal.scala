package windrow.core.operator

import windrow.Reason
import windrow.WindowOperatorSpec

private[operator] object Refusal {

  /** Why a message that is too late for all its windows is refused (SEMANTICS R10). */
  def late(spec: WindowOperatorSpec, time: Long, watermark: Watermark): Reason =
    if (watermark.isDefined && spec.retention.time.exists(kept => time < watermark.micros - kept.micros)) Reason.OutOfRetention
    else Reason.TooLate
}
