package windrow.spark

import org.apache.spark.sql.SparkSession
import windrow._
import windrow.spark.input.AggregateParts
import windrow.spark.pattern.Matches
import windrow.spark.stream.StreamOptions

/** The output of a search for a pattern. `rows` are the matches: the columns of the key, `match` with `start`, `end`, and
  * `is_retraction`, and the measures. Without measures, the column `rows` is an array with the `name` and the `row` of each
  * matched row.
  */
final class MatchOutput private[spark] (
    stream: StreamOptions,
    inWords: String,
    operator: Either[Seq[SpecProblem], Matches],
    parts: (Seq[SpecProblem], Option[AggregateParts]),
    session: SparkSession)
    extends StreamRows(stream, inWords, "match", operator, parts, session)
