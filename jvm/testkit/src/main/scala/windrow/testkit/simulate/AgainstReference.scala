package windrow.testkit

import windrow.replay._

/** Compares the outcome of an engine with that of the reference. */
object AgainstReference {
  type Telling = TranscriptCase => Outcome

  /** Returns the case with the results of the reference as expected results. Restarts are left out, because each way to
    * run the case adds its own.
    */
  def expected(transcript: TranscriptCase): TranscriptCase = {
    val plain = transcript.copy(steps = transcript.steps.filter(_ != Step.Restart))
    ReferenceEngine.run(plain) match {
      case ran: Outcome.Ran => ran.inPlaceOfExpected(plain)
      case other            => throw new IllegalArgumentException(s"${transcript.id} is not a valid case: $other")
    }
  }

  /** Returns one sentence for each difference. An error counts as a difference. */
  def differences(expected: TranscriptCase, telling: Telling): Seq[String] =
    try telling(expected) match {
        case Outcome.NotRun(reason) => Seq(s"not run: $reason")
        case outcome                => Comparison.differences(expected, outcome)
      }
    catch { case e: RuntimeException => Seq(s"threw $e ${e.getStackTrace.take(5).mkString(" ")}") }

  /** Shrinks a case that differs, by leaving out steps and messages for as long as it still differs. */
  def smallest(transcript: TranscriptCase, telling: Telling): TranscriptCase =
    Recut.smaller(transcript).find(smaller => differences(expected(smaller), telling).nonEmpty)
      .fold(transcript)(smallest(_, telling))
}
