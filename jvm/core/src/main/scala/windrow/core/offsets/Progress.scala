package windrow.core.offsets

import windrow.SourcePartition

/** Offsets that a step brings to the stream, in whichever shards their messages are (SEMANTICS R72). Every shard
  * receives all of them.
  *
  * @param isWhole
  *   every offset from `first` to `last` has been read; otherwise the range only counts as seen
  */
final case class Progress(of: SourcePartition, first: Long, last: Long, isWhole: Boolean = true)
