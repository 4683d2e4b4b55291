package windrow.core.operator
package aligned

import java.util.{TreeMap => JTreeMap}
import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._
import windrow.core.state.Key
import windrow.core.state.KeyMap

/** Windows of keys to look at when a step ends; empty between steps. Windows are named by their starts. */
private[core] final class TouchedWindows {
  private val windows = new JTreeMap[Long, KeyMap[Unit]]

  /** What was added to last: neighbours in a step mostly have one start. */
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

  /** How many windows of keys there are. */
  def size: Long = windows.values.asScala.map(_.size.toLong).sum

  /** Ascending. */
  def starts: Iterator[Long] = windows.keySet.iterator.asScala

  /** Ascending, each with its keys. */
  def byStart: Iterator[(Long, Iterator[Key])] =
    windows.entrySet.iterator.asScala.map(window => (window.getKey, window.getValue.keysInOrder))

  /** Each key with its windows, ascending. */
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
