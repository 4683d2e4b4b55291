package windrow

import scala.language.implicitConversions

/** On which side of a row of the first stream an as-of join searches for the nearest row of the second. */
sealed abstract class AsofDirection(override val toString: String)

object AsofDirection {

  /** At or before the row. */
  case object Backward extends AsofDirection("backward")

  /** At or after the row. */
  case object Forward extends AsofDirection("forward")

  /** On both sides. */
  case object Nearest extends AsofDirection("nearest")

  val All: Seq[AsofDirection] = Seq(Backward, Forward, Nearest)

  /** Reads the name of a direction: `direction = "nearest"`. */
  implicit def fromText(text: String): AsofDirection =
    All.find(_.toString == text).getOrElse(throw Words.unknown("direction", text, All))
}
