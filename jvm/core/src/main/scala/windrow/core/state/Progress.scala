package windrow.core.state

import windrow.SourcePartition

/** Offsets that a step brings to the whole stream, whichever shard their messages went to (SEMANTICS R72). Every shard is
  * told of all of them.
  *
  * @param isWhole
  *   every offset between `first` and `last` has come; else they only count as seen
  */
final case class Progress(of: SourcePartition, first: Long, last: Long, isWhole: Boolean = true)
