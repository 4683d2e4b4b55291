package windrow.core.operator

import windrow._

/** What a spec can say and a [[Shard]] cannot do yet. */
object ShardLimits {

  /** In a sentence; None: a shard does all that the spec says. */
  def hindrance(spec: WindowOperatorSpec): Option[String] = Seq(
    not(spec.retention.messages.isEmpty && spec.retention.windows.isEmpty)("retention by count")).flatten.headOption

  private def not(can: Boolean)(what: => String): Option[String] =
    Option.unless(can)(s"the core cannot do this yet: $what.")
}
