package windrow.core.state

/** Values by key, in the order in which the keys came. They stand side by side in arrays: an object for each would cost more than
  * what is done with it, and so they are read in the order in which they lie in memory.
  */
final class KeyMap[T] private (
    private var keys: Array[Key],
    private var values: Array[AnyRef],
    private var table: Array[Long],
    private var count: Int) {

  /** @param expected
    *   for so many keys nothing grows
    */
  def this(expected: Int = 0) = this(
    new Array[Key](KeyMap.room(expected)),
    new Array[AnyRef](KeyMap.room(expected)),
    new Array[Long](2 * KeyMap.room(expected)),
    0)

  def size: Int        = count
  def isEmpty: Boolean = count == 0

  def keyAt(index: Int): Key = keys(index)
  def valueAt(index: Int): T = values(index).asInstanceOf[T]

  def set(index: Int, value: T): Unit = values(index) = value.asInstanceOf[AnyRef]

  /** The place of a key in their order; -1: it is not there. */
  def indexOf(key: Key): Int = {
    val hash  = key.hashCode
    val mask  = table.length - 1
    var slot  = hash & mask
    var entry = table(slot)
    var found = -1
    while (entry != 0L && found < 0) {
      if ((entry >>> 32).toInt == hash && keys(entry.toInt - 1) == key) found = entry.toInt - 1
      slot = (slot + 1) & mask
      entry = table(slot)
    }
    found
  }

  def containsKey(key: Key): Boolean = indexOf(key) >= 0

  /** null: there is none. */
  def get(key: Key): T = {
    val index = indexOf(key)
    if (index < 0) null.asInstanceOf[T] else valueAt(index)
  }

  def put(key: Key, value: T): Unit = {
    val index = indexOf(key)
    if (index < 0) add(key, value) else set(index, value)
  }

  /** Of a key that is not there. */
  def add(key: Key, value: T): Unit = {
    if (count == keys.length) grow()
    keys(count) = key
    values(count) = value.asInstanceOf[AnyRef]
    count += 1
    enter(key.hashCode.toLong << 32 | count)
  }

  private def enter(entry: Long): Unit = {
    val mask = table.length - 1
    var slot = (entry >>> 32).toInt & mask
    while (table(slot) != 0L) slot = (slot + 1) & mask
    table(slot) = entry
  }

  private def grow(): Unit = {
    val before = table
    keys = java.util.Arrays.copyOf(keys, 2 * count)
    values = java.util.Arrays.copyOf(values, 2 * count)
    table = new Array[Long](4 * count)
    var slot = 0
    while (slot < before.length) {
      if (before(slot) != 0L) enter(before(slot))
      slot += 1
    }
  }

  def clear(): Unit = {
    java.util.Arrays.fill(keys.asInstanceOf[Array[AnyRef]], 0, count, null)
    java.util.Arrays.fill(values, 0, count, null)
    java.util.Arrays.fill(table, 0L)
    count = 0
  }

  /** Another one with the same values. */
  def copied: KeyMap[T] = new KeyMap(keys.clone(), values.clone(), table.clone(), count)

  def keysInOrder: Iterator[Key] = Iterator.range(0, count).map(keyAt)
  def valuesInOrder: Iterator[T] = Iterator.range(0, count).map(valueAt)
}

private object KeyMap {
  private val Least = 4

  /** A power of two. */
  private def room(expected: Int): Int =
    if (expected <= Least) Least else Integer.highestOneBit(expected - 1) << 1
}
