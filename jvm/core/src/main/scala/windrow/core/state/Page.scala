package windrow.core.state

import scala.collection.mutable.ArrayBuffer

/** Neighboring values of a [[PagedRun]]: one segment, and a summary in the root that is available without reading it. */
private[core] abstract class Page[T] {

  /** Number of its segment; [[Page.Inside]] if its values are in the root. */
  var id: Long = Page.Inside

  /** Its values differ from the stored ones. */
  var changed = false

  /** Number of its values. */
  var size = 0

  /** Its values; null if they are not read. Only the methods of the page change them, because they keep the summary. */
  var values: ArrayBuffer[T] = _

  final def isInside: Boolean = id == Page.Inside
  final def isRead: Boolean   = values != null

  /** Recomputes the summary from the values. */
  protected def describe(): Unit

  /** Adds a value of `values` to the summary. */
  protected def include(value: T): Unit

  /** Writes the summary. */
  def write(out: ByteWriter): Unit

  /** Reads the summary. */
  def read(in: ByteReader): Unit

  def insert(index: Int, value: T): Unit = {
    values.insert(index, value)
    size += 1
    changed = true
    include(value)
  }

  /** Replaces all values by the same and some more. */
  def grow(all: ArrayBuffer[T], added: collection.IndexedSeq[T]): Unit = {
    values = all
    size = all.size
    changed = true
    added.foreach(include)
  }

  /** Replaces all values. */
  def hold(some: ArrayBuffer[T]): Unit = {
    values = some
    size = some.size
    changed = true
    describe()
  }

  /** Receives the stored values, which its summary describes already. */
  def receive(stored: ArrayBuffer[T]): Unit = values = stored

  /** Releases the values from memory; they must be stored. */
  def release(): Unit = values = null
}

private[core] object Page {

  /** The number of a page whose values are in the root. */
  val Inside = 0L
}
