package windrow.testkit

import windrow._

/** What the core cannot do yet. Its cases are not run there: an aggregate in [[CoreEngine]] asks here before it begins. */
private object CoreLimits {

  /** None: the core runs it. */
  def hindrance(spec: WindowOperatorSpec): Option[String] = Seq(
    not(spec.complete == Completion.ByWatermark)(s"complete '${spec.complete}'"),
    not(!spec.fillGaps)("fillGaps"),
    not(spec.retention.messages.isEmpty && spec.retention.windows.isEmpty)("retention by count")).flatten.headOption

  private def not(can: Boolean)(what: => String): Option[String] =
    Option.unless(can)(s"The core cannot do this yet: $what.")
}
