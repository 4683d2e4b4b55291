package windrow

import windrow.core.time.Due
import windrow.core.time.Position.plus

/** Limits of the stored past. With several limits, the first one that is reached applies (SEMANTICS R10).
  *
  * @param time
  *   maximum age relative to the watermark
  * @param messages
  *   number of newest messages of each key
  * @param windows
  *   number of newest windows of each key, for aggregations
  */
final case class Retention(
    time: Option[TimeSpan] = None,
    messages: Option[Long] = None,
    windows: Option[Long] = None) {

  private[windrow] def inWords: String = s"${time.map(_.micros)} $messages $windows"

  def isStated: Boolean = time.isDefined || messages.isDefined || windows.isDefined

  /** The watermark from which on a message is older than the retained time. */
  private[windrow] def isOutFrom(message: Long): Long =
    time.fold(Due.Never)(kept => plus(plus(message, kept.micros), 1))

  def problems: Seq[SpecProblem] =
    time.toSeq.filter(_.micros < 0).map(span =>
      SpecProblem("RETENTION_NEGATIVE", "time" -> span)) ++
      messages.toSeq.flatMap(NumberCheck.atLeastOne("messages", _)) ++
      windows.toSeq.flatMap(NumberCheck.atLeastOne("windows", _))
}

object Retention {
  val NotStated: Retention = Retention()
}
