package windrow

/** A checkpoint that is not compatible with the query started on it. */
final class CheckpointError(message: String) extends IllegalStateException(message)
