package windrow.core.operator

import windrow._

/** What of a spec is written into the state of a [[Shard]], and so may not change while that lives, in words. */
object ShardFixed {

  def of(spec: WindowOperatorSpec): Seq[String] = Seq(
    spec.window.toString,
    s"accumulate(${spec.accumulation})",
    s"complete='${spec.complete}'",
    s"fillGaps=${spec.fillGaps}") ++ records(spec)

  /** Windows made of slices have records from their first message on if they can fire before they complete. */
  private def records(spec: WindowOperatorSpec): Option[String] = spec.window match {
    case _: Session | _: TupleSession | _: Sliding | _: Over | _: Inherit => None
    case _ if spec.early != Never || !spec.onTime => Some("trigger(early=...) or trigger(onTime=False)")
    case _                                        => Some("neither trigger(early=...) nor trigger(onTime=False)")
  }
}
