package windrow.spark.join

import windrow.spark.output.OutputKind
import windrow.{InvalidMessages, JoinSpec, TimeSpan}

/** A checked join, except for the checks that need its tables.
  *
  * @param on
  *   the names of the equality columns in the output
  * @param behind
  *   the delay of a watermark that is the processing time minus this, instead of Spark's watermark
  * @param replaced
  *   the join of Spark's that this join replaces, if it replaces one. Late rows then count as Spark's dropped rows.
  */
final case class JoinOptions(
    spec: JoinSpec,
    on: Seq[String],
    output: OutputKind,
    invalid: InvalidMessages,
    behind: Option[TimeSpan] = None,
    replaced: Option[ReplacedJoin] = None)

/** When a join of Spark's emits its rows.
  *
  * @param waits
  *   for each stream, how long after its time a row waits for partners, in microseconds
  * @param lag
  *   how far the join holds back the watermark of later operators, in microseconds
  */
final case class ReplacedJoin(waits: IndexedSeq[Long], lag: Long)
