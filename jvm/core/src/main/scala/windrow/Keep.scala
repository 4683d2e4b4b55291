package windrow

import scala.language.implicitConversions

/** The row of each group of duplicates that a deduplication keeps (SEMANTICS D). */
sealed abstract class Keep(override val toString: String)

object Keep {

  /** The first row. It is emitted in the micro-batch in which it arrives. */
  case object First extends Keep("first")

  /** The last row. It is emitted when no row can replace it any longer, or at once and then with retractions. */
  case object Last extends Keep("last")

  val All: Seq[Keep] = Seq(First, Last)

  /** Reads the name of a choice, as SQL writes it: `dedup("1 hour", keep = "last")`. */
  implicit def fromText(text: String): Keep = Words.read("keep", text, All)
}
