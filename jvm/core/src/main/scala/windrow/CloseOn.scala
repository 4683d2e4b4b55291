package windrow

/** The event that completes a window (SEMANTICS R7). */
sealed abstract class CloseOn(override val toString: String)

object CloseOn {

  /** The watermark has passed its end. */
  case object Watermark extends CloseOn("watermark")

  /** Its key has accepted a row past its end. */
  case object NextRow extends CloseOn("next_row")

  val All: Seq[CloseOn] = Seq(Watermark, NextRow)
}
