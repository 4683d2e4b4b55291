package windrow.core.time

/** Special positions at which something is due. */
object Due {

  /** Never due. */
  final val Never = Position.Greatest

  /** Due at any position. */
  final val AtOnce = Position.Least
}
