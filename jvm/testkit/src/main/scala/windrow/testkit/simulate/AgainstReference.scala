package windrow.testkit

import windrow.replay._

/** What an engine makes of a case, compared with the reference. */
object AgainstReference {
  type Telling = TranscriptCase => Outcome

  /** With what the reference says; without restarts, since a telling has its own. */
  def expected(transcript: TranscriptCase): TranscriptCase = {
    val plain = transcript.copy(steps = transcript.steps.filter(_ != Step.Restart))
    ReferenceEngine.run(plain) match {
      case ran: Outcome.Ran => ran.inPlaceOfExpected(plain)
      case other            => throw new IllegalArgumentException(s"${transcript.id} is not a valid case: $other")
    }
  }

  /** One sentence for each difference; an error is one. */
  def differences(expected: TranscriptCase, telling: Telling): Seq[String] =
    try telling(expected) match {
        case Outcome.NotRun(reason) => Seq(s"not run: $reason")
        case outcome                => Comparison.differences(expected, outcome)
      }
    catch { case e: RuntimeException => Seq(s"threw $e ${e.getStackTrace.take(5).mkString(" ")}") }

  /** A case that differs, left out of steps and messages for as long as it still does. */
  def smallest(transcript: TranscriptCase, telling: Telling): TranscriptCase =
    Recut.smaller(transcript).find(smaller => differences(expected(smaller), telling).nonEmpty)
      .fold(transcript)(smallest(_, telling))
}
