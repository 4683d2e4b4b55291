package windrow.spark.join

import windrow.JoinSpec

/** Which of its outputs a join gives. */
sealed abstract class JoinPart(override val toString: String)

object JoinPart {
  case object Rows     extends JoinPart("rows")
  case object Rejected extends JoinPart("rejected")
  case object All      extends JoinPart("all")

  val Every: Seq[JoinPart] = Seq(Rows, Rejected, All)
}

/** A checked join, but for what its tables say.
  *
  * @param on
  *   names of the equality fields, as the rows show them
  */
final case class JoinOptions(spec: JoinSpec, on: Seq[String], part: JoinPart)
