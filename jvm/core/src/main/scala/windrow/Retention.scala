package windrow

import windrow.core.time.Due
import windrow.core.time.Position.plus

/** How much of the past is kept; each limit alone, or both: whichever bites first (SEMANTICS R10).
  *
  * @param time
  *   behind the watermark
  * @param messages
  *   the newest of each key
  * @param windows
  *   the newest of each key, for aggregators
  */
final case class Retention(
    time: Option[TimeSpan] = None,
    messages: Option[Long] = None,
    windows: Option[Long] = None) {

  private[windrow] def inWords: String = s"${time.map(_.micros)} $messages $windows"

  def isStated: Boolean = time.isDefined || messages.isDefined || windows.isDefined

  /** From which watermark on a message is older than what the stated time keeps. */
  private[windrow] def isOutFrom(message: Long): Long =
    time.fold(Due.Never)(kept => plus(plus(message, kept.micros), 1))

  def problems: Seq[SpecProblem] =
    time.toSeq.filter(_.micros < 0).map(span =>
      SpecProblem("RETENTION_NEGATIVE", "time" -> span)) ++
      messages.toSeq.flatMap(WindowKind.atLeastOne("messages", _)) ++
      windows.toSeq.flatMap(WindowKind.atLeastOne("windows", _))
}

object Retention {
  val NotStated: Retention = Retention()
}
