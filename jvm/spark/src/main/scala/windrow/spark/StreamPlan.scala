package windrow.spark

import org.apache.spark.sql.windrow.SparkInside
import org.apache.spark.sql.{DataFrame, SparkSession}
import windrow.spark.input.AggregateParts
import windrow.spark.output.OutputKind
import windrow.spark.pack.{PackStrategy, ShuffleText}
import windrow.spark.query.LookupStream
import windrow.spark.stream.{StreamOperator, StreamOptions, WindowQuery}
import windrow.{SpecError, SpecProblem}

/** An operator over one stream, and its output as DataFrames.
  *
  * @param inWords
  *   describes the stream
  * @param subject
  *   the operator in error messages
  */
private[spark] final class StreamPlan(
    stream: StreamOptions,
    inWords: String,
    subject: String,
    val operator: Either[Seq[SpecProblem], StreamOperator],
    parts: (Seq[SpecProblem], Option[AggregateParts]),
    session: SparkSession) {

  def part(kind: OutputKind, asking: Option[LookupStream] = None): DataFrame = {
    SparkInside.addStrategy(session, PackStrategy(session))
    val options = stream.copy(output = kind)
    SparkInside.frame(session, WindowQuery.plan(session, subject, operator.map(_ -> options), parts, asking))
  }

  def explanation: String = operator.fold(
    problems => throw SpecError(subject, problems),
    one => ShuffleText.described(one.explanation(inWords, stream.clock), SparkInside.plan(part(OutputKind.All))))
}
