package windrow.replay

/** The result of the check of one case.
  *
  * @param name
  *   the word in a count of cases: "3 equal"
  * @param text
  *   the report, if there is one
  */
sealed abstract class Verdict(val name: String, val isFailure: Boolean, val text: Option[String])

object Verdict {
  case object Equal extends Verdict("equal", false, None)

  final case class Different(id: String, differences: Seq[String])
      extends Verdict("different", true, Some(s"case $id:${differences.map("\n  " + _).mkString}"))

  final case class KnownGap(id: String, reason: String)
      extends Verdict("known gaps", false, Some(s"case $id: known gap: $reason"))

  final case class PassedGap(id: String)
      extends Verdict("different", true, Some(s"case $id: is listed as a known gap, but it passes"))

  final case class NotRun(id: String, reason: String)
      extends Verdict("not run", false, Some(s"case $id: not run: $reason"))

  final case class Unreadable(error: TranscriptError)
      extends Verdict("unreadable", true, Some(s"cannot be read: ${error.getMessage}"))

  def of(transcript: TranscriptCase, engine: Engine, gaps: KnownGaps): Verdict = {
    val id = transcript.id
    engine.run(transcript) match {
      case Outcome.NotRun(reason) => NotRun(id, reason)
      case outcome =>
        (Comparison.differences(transcript, outcome), gaps.reason(id, engine.name)) match {
          case (Nil, None)         => Equal
          case (Nil, Some(_))      => PassedGap(id)
          case (differences, None) => Different(id, differences)
          case (_, Some(reason))   => KnownGap(id, reason)
        }
    }
  }
}
