package windrow.core.shard

import windrow.WindowFamily._
import windrow.core.offsets.AppliedOffsets
import windrow.core.state.{OwnSpaces, Pieces}
import windrow.{CloseOn, WindowOperatorSpec}

/** The names of the spaces that a [[Shard]] uses, for stores that must know them in advance. */
object ShardSpaces {
  private val Sliced = Seq("slices", "panes")
  private val Keyed  = Seq("keys", "runs")

  /** @param keepsMessages
    *   whether its aggregates depend on the order of messages
    * @param hasOffsets
    *   whether messages have an identity
    * @param carries
    *   whether windows carry values of earlier messages
    */
  def of(
      spec: WindowOperatorSpec,
      keepsMessages: Boolean,
      hasOffsets: Boolean,
      carries: Boolean = false): Seq[String] =
    windows(spec) ++ Option.when(hasOffsets)(AppliedOffsets.Space) ++ Option.when(spec.fillsGaps)("gaps") ++
      Option.when(spec.gapValues.exists(_.carries))("carried") ++
      Option.when(carries)("earlier") ++ Option.when(keepsMessages)(Pieces.Space)

  private def windows(spec: WindowOperatorSpec): Seq[String] = spec.window.family match {
    case _: Aligned | SingleWindow            => if (spec.closeOn == CloseOn.Watermark) Sliced else Keyed
    case _: Sessions                          => Seq("sessions", "pages")
    case _: CutSessions                       => Seq("sessions", "pages", "runs")
    case _: OffsetSessions                    => Seq("sessions")
    case _: Inherited                         => Seq("inherited", "pages", "incoming")
    case _: Run | _: Numbered | _: OffsetGrid => Keyed
    case _: Several => spec.named.zipWithIndex.flatMap { case ((_, own), i) => windows(own).map(OwnSpaces.name(_, i)) }
  }
}
