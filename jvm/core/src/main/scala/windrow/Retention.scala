package windrow

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
  def isStated: Boolean = time.isDefined || messages.isDefined || windows.isDefined

  def problems: Seq[SpecProblem] =
    time.toSeq.filter(_.micros < 0).map(span =>
      SpecProblem("RETENTION_NEGATIVE", s"retention time is '$span'; it must be '0 seconds' or longer.")) ++
      messages.toSeq.flatMap(WindowKind.atLeastOne("messages", _)) ++
      windows.toSeq.flatMap(WindowKind.atLeastOne("windows", _))
}

object Retention {
  val NotStated: Retention = Retention()
}
