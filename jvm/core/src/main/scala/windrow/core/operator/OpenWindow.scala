package windrow.core.operator

import windrow.SourcePartition
import windrow.core.state.Key
import windrow.core.time.Bounds
import windrow.core.trigger.PaneState

/** A window that still accepts messages, as queries see it. Its contents are looked up on demand.
  *
  * @param isComplete
  *   whether the time of its on-time pane has passed
  * @param partition
  *   source partition, for windows on offsets
  * @param name
  *   the name, for one of several windows
  * @param keeps
  *   looks up the state of its panes
  * @param whole
  *   computes the buffer of all its messages
  */
final class OpenWindow[B] private[core] (
    val key: Key,
    val bounds: Bounds,
    val isComplete: Boolean,
    val partition: Option[SourcePartition],
    val name: Option[String],
    keeps: () => PaneState[B],
    whole: () => B) {
  private[windrow] lazy val paneState: PaneState[B] = keeps()
  lazy val buffer: B                                = whole()

  private[core] def of(partition: SourcePartition): OpenWindow[B] =
    new OpenWindow(key, bounds, isComplete, Some(partition), name, keeps, whole)

  private[core] def of(name: Some[String]): OpenWindow[B] =
    new OpenWindow(key, bounds, isComplete, partition, name, keeps, whole)

  private[core] def map[C](change: B => C): OpenWindow[C] = new OpenWindow(
    key,
    bounds,
    isComplete,
    partition,
    name,
    () => paneState.map(change),
    () => change(buffer))
}

private[core] object OpenWindow {
  def apply[B](
      key: Key,
      bounds: Bounds,
      isComplete: Boolean,
      paneState: => PaneState[B],
      whole: => B): OpenWindow[B] =
    new OpenWindow(key, bounds, isComplete, None, None, () => paneState, () => whole)

  /** The number of windows of each key and name. */
  def countByKey(windows: Iterator[OpenWindow[_]]): Iterator[Long] =
    windows.toSeq.groupMapReduce(one => (one.key, one.name))(_ => 1L)(_ + _).valuesIterator
}
