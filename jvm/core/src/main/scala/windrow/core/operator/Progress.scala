package windrow.core.operator

/** Offsets that a step brings to the whole stream, whichever shard their messages went to (SEMANTICS R72). Every shard is
  * told of all of them; offsets between `first` and `last` count as messages.
  */
final case class Progress(source: String, partition: Long, first: Long, last: Long)
