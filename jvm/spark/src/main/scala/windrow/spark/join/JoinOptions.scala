package windrow.spark.join

import windrow.spark.output.OutputKind
import windrow.{InvalidMessages, JoinSpec}

/** A checked join, except for the checks that need its tables.
  *
  * @param on
  *   the names of the equality columns in the output
  * @param isAccelerated
  *   whether the join replaces one of Spark's, so that late rows count as Spark's dropped rows
  */
final case class JoinOptions(
    spec: JoinSpec,
    on: Seq[String],
    output: OutputKind,
    invalid: InvalidMessages,
    isAccelerated: Boolean = false)
