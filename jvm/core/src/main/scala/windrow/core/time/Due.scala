package windrow.core.time

/** Positions at which something is to be looked at again. */
object Due {

  /** At none. */
  final val Never = Position.Greatest

  /** Whatever the position. */
  final val AtOnce = Position.Least
}
