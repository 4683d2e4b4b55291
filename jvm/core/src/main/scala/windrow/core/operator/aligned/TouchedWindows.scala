package windrow.core.operator
package aligned

import java.util.{TreeMap => JTreeMap}
import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._
import windrow.core.state.{Key, KeyMap}

/** Windows of keys to check when a step ends; empty between steps. Windows are identified by their starts. */
private[core] final class TouchedWindows {
  private val windows = new JTreeMap[Long, KeyMap[Unit]]

  /** The keys that were added to last, because neighbors in a step mostly have the same start. */
  private var recent: KeyMap[Unit] = _
  private var recentAt             = 0L

  def add(start: Long, key: Key): Unit = {
    if (recent == null || recentAt != start) {
      recent = windows.computeIfAbsent(start, _ => new KeyMap)
      recentAt = start
    }
    recent.put(key, ())
  }

  def isEmpty: Boolean = windows.isEmpty

  /** Number of pairs of a window and a key. */
  def size: Long = windows.values.asScala.map(_.size.toLong).sum

  /** Starts in ascending order. */
  def starts: Iterator[Long] = windows.keySet.iterator.asScala

  /** Starts in ascending order, each with its keys. */
  def byStart: Iterator[(Long, Iterator[Key])] =
    windows.entrySet.iterator.asScala.map(window => (window.getKey, window.getValue.keysInOrder))

  /** Keys, each with its starts in ascending order. */
  def byKey: Iterator[(Key, Vector[Long])] = {
    val keys = new KeyMap[ArrayBuffer[Long]]
    for ((start, touched) <- byStart; key <- touched) {
      val index = keys.indexOf(key)
      if (index < 0) keys.add(key, ArrayBuffer(start)) else keys.valueAt(index) += start
    }
    Iterator.range(0, keys.size).map(index => (keys.keyAt(index), keys.valueAt(index).toVector))
  }

  def clear(): Unit = {
    windows.clear()
    recent = null
  }
}
