package windrow

/** How many messages of other keys lie in the range of a look-up. Large is safe for both. */
sealed trait ExpectedSize

object ExpectedSize {
  case object Small extends ExpectedSize
  case object Large extends ExpectedSize
}
