package windrow

import scala.language.implicitConversions

/** How a pane relates to the panes of its window before it (SEMANTICS E). */
sealed abstract class AccumulationMode(override val toString: String)

/** A pane holds what came since the last one. */
case object Discarding extends AccumulationMode("DISCARDING")

/** Every pane holds the whole value of its window so far. */
case object Accumulating extends AccumulationMode("ACCUMULATING")

/** Like [[Accumulating]], and every pane but a window's first is preceded by a retraction of the one before. */
case object AccumulatingAndRetracting extends AccumulationMode("ACCUMULATING_AND_RETRACTING")

object AccumulationMode {
  val All: Seq[AccumulationMode] = Seq(Discarding, Accumulating, AccumulatingAndRetracting)

  /** As SQL says it: `accumulationMode("accumulating")`. */
  implicit def fromText(text: String): AccumulationMode = All.find(_.toString.equalsIgnoreCase(text)).getOrElse(
    throw Words.unknown("VALUE_UNKNOWN", "accumulationMode", text, All))
}
