package windrow.replay

import java.util.ServiceLoader
import scala.jdk.CollectionConverters._
import windrow.SpecProblem

/** Runs transcripts: the slow reference, the core, or Spark.
  *
  * `java.util.ServiceLoader` finds engines outside this module. They need a constructor without arguments.
  */
trait Engine {

  /** The name as users type it: `reference`, `core`, `spark`. */
  def name: String

  /** Runs one case from an empty state. Ignores its expected results. */
  def run(transcript: TranscriptCase): Outcome
}

object Engine {

  def all: Seq[Engine] =
    Seq(ReferenceEngine, new CoreEngine) ++ ServiceLoader.load(classOf[Engine]).iterator.asScala

  def named(name: String): Option[Engine] = all.find(_.name == name)
}

/** The outcome of a case. */
sealed trait Outcome {

  /** Returns the case with the actual results as its expected results, with panes sorted by key and window. */
  def inPlaceOfExpected(transcript: TranscriptCase): TranscriptCase = this match {
    case Outcome.Ran(results, atEnd) =>
      val shape = transcript.operator.fold(_ => Expected.Panes, _.shape)
      val steps = transcript.steps.zip(results).map {
        case (feed: Step.Feed, StepResult.Emitted(emission)) => feed.copy(expected = emission.asExpected(shape))
        case (ask: Step.Ask, StepResult.Answered(answer))    => ask.copy(expected = Some(answer))
        case (step, _)                                       => step
      }
      val end = transcript.atEnd.map(_.copy(expected = atEnd.fold(Expected.Anything)(_.asExpected(shape))))
      transcript.copy(steps = steps, atEnd = end, refused = None)
    case Outcome.Refused(problems) =>
      transcript.copy(steps = Nil, atEnd = None, refused = Some(problems.map(_.code).mkString(" ")))
    case Outcome.NotRun(_) => transcript
  }
}

object Outcome {

  /** @param results
    *   one result for each step of the case
    * @param atEnd
    *   the output at the final end, if the case has one
    */
  final case class Ran(results: Seq[StepResult], atEnd: Option[Emission]) extends Outcome

  final case class Refused(problems: Seq[SpecProblem]) extends Outcome

  /** The engine cannot run this case at all. A wrong result is not a reason for this outcome. */
  final case class NotRun(reason: String) extends Outcome
}

sealed trait StepResult

object StepResult {
  final case class Emitted(emission: Emission) extends StepResult
  final case class Answered(answer: Answer)    extends StepResult
  case object Restarted                        extends StepResult
}
