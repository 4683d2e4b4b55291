package windrow

/** In which order aggregates see the messages of a window (SEMANTICS T3). */
private[windrow] sealed trait ContentOrder

private[windrow] object ContentOrder {
  case object ByTime   extends ContentOrder
  case object ByOffset extends ContentOrder

  /** In that of their numbers, which acceptance gives. */
  case object ByArrival extends ContentOrder
}
