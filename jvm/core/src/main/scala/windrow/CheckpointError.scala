package windrow

/** A checkpoint that does not fit the query that was started on it. */
final class CheckpointError(message: String) extends IllegalStateException(message)
