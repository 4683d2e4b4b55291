package windrow.core.operator

import windrow._
import windrow.core.state.FingerprintField

/** What of a spec is written into the state of a [[Shard]], and so may not change while that lives. */
object ShardFingerprint {

  def of(spec: WindowOperatorSpec): Seq[FingerprintField] =
    (Seq(
      FingerprintField("windows", spec.window.toString),
      FingerprintField("accumulation", s"accumulationMode(${spec.accumulation})"),
      FingerprintField("completion", s"closeOn='${spec.closeOn}'"),
      FingerprintField(
        "gaps",
        s"fillGaps=${spec.fillsGaps}")) ++ records(spec).map(FingerprintField("early panes", _)) :+ lateness(
      spec.window,
      spec.lateness)) ++ retained(spec.window, spec.retention) ++ starts(spec.window, spec.startOffsets) ++ firing(spec)

  private[core] val Lateness = "lateness"

  /** It may grow in time, see [[HeaderStart]]; what has left of windows on offsets is not remembered. A shorter one would let
    * go of windows that may come back when it grows again.
    */
  def lateness(window: WindowKind, of: TimeSpan): FingerprintField =
    if (window.isLateByOffsets) FingerprintField(Lateness, of.toString, spoken = inOffsets) else lateness(of)

  /** A number of offsets is written as so many microseconds. */
  private def inOffsets(text: String): String = TimeSpan.parse(text).fold(_ => text, span => s"${span.micros} offsets")

  def lateness(of: TimeSpan): FingerprintField = FingerprintField(Lateness, of.toString, least = Some(of.micros))

  /** Of a window that holds everything: by it messages are refused and identities forgotten (SEMANTICS R13), which a longer
    * time would count twice.
    */
  def retained(window: WindowKind, retention: Retention): Option[FingerprintField] =
    Option.when(window.holdsEverything)(retained(retention))

  private[core] def retained(retention: Retention): FingerprintField =
    FingerprintField("retained time", retention.time.fold("without end")(_.toString))

  /** Windows on offsets that began elsewhere would have other bounds. A partition of which nothing is said begins at 0. */
  def starts(window: WindowKind, of: Map[Long, Long], label: String = "start offsets"): Option[FingerprintField] =
    Option.when(window.isInstanceOf[OffsetRange]) {
      val said = of.filter { case (_, offset) => offset != 0 }.toSeq.sorted
      FingerprintField(label, said.map { case (partition, offset) => s"$partition: $offset" }.mkString("{", ", ", "}"))
    }

  /** Windows made of messages keep no record of a pane on time: whether there was one is told by the spec. */
  private def firing(spec: WindowOperatorSpec): Option[FingerprintField] = spec.window match {
    case _: Sliding | _: Over => Some(FingerprintField("panes on time", s"trigger(onTime=${spec.onTime})"))
    case _                    => None
  }

  /** Windows made of slices have records from their first message on if they can fire before they complete. */
  private def records(spec: WindowOperatorSpec): Option[String] = Option.when(spec.window.isSliced) {
    if (spec.early != Never || !spec.onTime) "trigger(early=...) or trigger(onTime=False)"
    else "neither trigger(early=...) nor trigger(onTime=False)"
  }
}
