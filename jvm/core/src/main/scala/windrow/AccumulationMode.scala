package windrow

/** How a pane relates to the panes of its window before it (SEMANTICS E). */
sealed trait AccumulationMode

/** Every pane holds the whole value of its window so far. */
case object Accumulating extends AccumulationMode {
  override def toString: String = "ACCUMULATING"
}
