package windrow.operators

import windrow.Pane

/** Looks up the open windows of an aggregation. */
private[operators] trait OpenWindows[K, M, V] { self: WindowOperator[M, Pane[K, V]] =>

  /** Windows that still accept messages and overlap a closed range of their axis, with their current values, ordered by
    * (start, end). A bound of None is open.
    *
    * @param key
    *   None for all keys
    */
  def getWindows(start: Option[Long], end: Option[Long], key: Option[K] = None): Seq[WindowValue[K, V]] =
    opened.asInstanceOf[AggregatingCore[K, M, _, V]].windows(start, end, key)

  /** The window of a key that starts at `start`, if it still accepts messages. */
  def getWindow(key: K, start: Long): Option[WindowValue[K, V]] =
    getWindows(Some(start), Some(start), Some(key)).find(_.window.start == start)
}
