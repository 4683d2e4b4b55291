package windrow.spark.join

import windrow.InvalidMessages
import windrow.JoinSpec
import windrow.spark.output.OutputKind

/** A checked join, but for what its tables say.
  *
  * @param on
  *   names of the equality fields, as the rows show them
  */
final case class JoinOptions(spec: JoinSpec, on: Seq[String], output: OutputKind, invalid: InvalidMessages)
