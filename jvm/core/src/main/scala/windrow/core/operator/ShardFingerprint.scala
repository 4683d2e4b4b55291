package windrow.core.operator

import windrow.WindowFamily._
import windrow._
import windrow.core.state.FingerprintField

/** The properties of a spec that are written into the state of a [[Shard]] and must not change while the state exists.
  */
object ShardFingerprint {

  def of(spec: WindowOperatorSpec): Seq[FingerprintField] =
    (Seq(
      FingerprintField("windows", spec.window.toString),
      FingerprintField("accumulation", s"accumulationMode(${spec.accumulation})"),
      FingerprintField("completion", s"closeOn='${spec.closeOn}'"),
      FingerprintField(
        "gaps",
        s"fillGaps=${spec.fillsGaps}")) ++ carried(spec) ++ records(spec).map(FingerprintField(
      "early panes",
      _)) :+ lateness(
      spec.window,
      spec.lateness)) ++ retained(spec.window, spec.retention) ++ starts(spec.window, spec.startOffsets) ++ firing(spec)

  private[core] val Lateness = "lateness"

  /** The lateness may grow if it is a time, see [[HeaderStart]]. Removed windows on offsets are not remembered, so
    * their lateness must stay equal. A shorter one would remove windows that could reappear when it grows again.
    */
  def lateness(window: WindowKind, of: TimeSpan): FingerprintField =
    if (window.isLateByOffsets) FingerprintField(Lateness, of.toString, spoken = inOffsets) else lateness(of)

  /** Formats a number of offsets, which is stored as that many microseconds. */
  private def inOffsets(text: String): String = TimeSpan.parse(text).fold(_ => text, span => s"${span.micros} offsets")

  def lateness(of: TimeSpan): FingerprintField = FingerprintField(Lateness, of.toString, least = Some(of.micros))

  /** The retained time of a window that holds everything: it decides when messages are rejected and identities
    * forgotten (SEMANTICS R13), so a longer one would count messages twice.
    */
  def retained(window: WindowKind, retention: Retention): Option[FingerprintField] =
    Option.when(window.holdsEverything)(retained(retention))

  private[core] def retained(retention: Retention): FingerprintField =
    FingerprintField("retained time", retention.time.fold("without end")(_.toString))

  /** Windows on offsets would have other bounds with another start. Partitions without a configured offset start at 0.
    */
  def starts(window: WindowKind, of: Map[Long, Long], label: String = "start offsets"): Option[FingerprintField] =
    Option.when(isLaidFromStart(window)) {
      val stated = of.filter { case (_, offset) => offset != 0 }.toSeq.sorted
      FingerprintField(
        label,
        stated.map { case (partition, offset) => s"$partition: $offset" }.mkString("{", ", ", "}"))
    }

  /** Values of windows are stored for windows without messages, with the columns that these show. */
  private def carried(spec: WindowOperatorSpec): Option[FingerprintField] = Option.when(spec.fillsGaps)(
    FingerprintField("values of gaps", spec.gapValues.fold("none")(values => s"fillGaps($values)")))

  /** Windows made of messages, and windows without messages, do not record their pane on time; the spec alone determines
    * whether there was one.
    */
  private def firing(spec: WindowOperatorSpec): Option[FingerprintField] =
    Option.when(spec.fillsGaps || isOfMessages(spec.window.family))(
      FingerprintField("panes on time", s"trigger(onTime=${spec.onTime})"))

  private def isOfMessages(family: WindowFamily): Boolean = family match {
    case _: Run                                                                                               => true
    case _: Aligned | SingleWindow | _: GapFamily | _: Inherited | _: Numbered | _: OffsetFamily | _: Several => false
  }

  /** Whether the start offset determines the bounds of windows. */
  private def isLaidFromStart(window: WindowKind): Boolean = window.family match {
    case _: OffsetGrid => true
    case _: Aligned | SingleWindow | _: GapFamily | _: Inherited | _: Run | _: Numbered | _: OffsetSessions |
        _: Several =>
      false
  }

  /** Windows made of slices keep records from their first message on if they can fire before they are complete. */
  private def records(spec: WindowOperatorSpec): Option[String] = Option.when(isSliced(spec.window.family)) {
    if (spec.early != Never || !spec.onTime) "trigger(early=...) or trigger(onTime=False)"
    else "neither trigger(early=...) nor trigger(onTime=False)"
  }

  /** Whether windows are computed from slices that they share. */
  private def isSliced(family: WindowFamily): Boolean = family match {
    case _: Aligned | SingleWindow | _: Numbered | _: OffsetGrid  => true
    case Several(families)                                        => families.exists(isSliced)
    case _: GapFamily | _: Inherited | _: Run | _: OffsetSessions => false
  }
}
