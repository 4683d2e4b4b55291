package windrow

/** The expected number of messages of other keys in the range of a lookup. `Large` works well for both. */
sealed trait ExpectedSize

object ExpectedSize {
  case object Small extends ExpectedSize
  case object Large extends ExpectedSize
}
