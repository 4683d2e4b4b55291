package windrow

/** The order in which aggregates receive the messages of a window (SEMANTICS T3). */
private[windrow] sealed trait ContentOrder

private[windrow] object ContentOrder {
  case object ByEventTime extends ContentOrder
  case object ByOffset    extends ContentOrder

  /** By sequence number, which is the order of acceptance. */
  case object ByArrival extends ContentOrder
}
