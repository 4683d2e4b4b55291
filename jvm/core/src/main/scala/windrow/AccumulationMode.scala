package windrow

import scala.language.implicitConversions

/** The contents of a pane relative to earlier panes of its window (SEMANTICS E). */
sealed abstract class AccumulationMode(override val toString: String)

/** A pane contains only the messages since the last pane. */
case object Discarding extends AccumulationMode("DISCARDING")

/** Every pane contains the complete value of its window so far. */
case object Accumulating extends AccumulationMode("ACCUMULATING")

/** Like [[Accumulating]], but every pane except a window's first is preceded by a retraction of the previous pane. */
case object AccumulatingAndRetracting extends AccumulationMode("ACCUMULATING_AND_RETRACTING")

object AccumulationMode {
  val All: Seq[AccumulationMode] = Seq(Discarding, Accumulating, AccumulatingAndRetracting)

  /** Reads the name of a mode, as SQL writes it: `accumulationMode("accumulating")`. */
  implicit def fromText(text: String): AccumulationMode = Words.read("accumulationMode", text, All)
}
