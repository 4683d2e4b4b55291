package windrow.spark

import org.apache.spark.sql.SparkSession
import windrow._
import windrow.spark.dedup.Dedup
import windrow.spark.input.AggregateParts
import windrow.spark.stream.StreamOptions

/** The output of a deduplication. `rows` are the kept rows, with the columns of the input, and `is_retraction` if rows are
  * retracted. Duplicates are in `rejected` with the reason `DUPLICATE`.
  */
final class DedupOutput private[spark] (
    stream: StreamOptions,
    inWords: String,
    operator: Either[Seq[SpecProblem], Dedup],
    parts: (Seq[SpecProblem], Option[AggregateParts]),
    session: SparkSession)
    extends StreamRows(stream, inWords, "dedup", operator, parts, session)
