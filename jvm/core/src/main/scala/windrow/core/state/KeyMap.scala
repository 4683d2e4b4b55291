package windrow.core.state

/** A hash map of values by key that iterates in insertion order. Keys and values are in plain arrays, because an object
  * for each entry would cost more than the work done with it; iteration follows their order in memory.
  */
final class KeyMap[T] private (
    private var keys: Array[Key],
    private var values: Array[AnyRef],
    private var table: Array[Long],
    private var count: Int) {

  /** @param expected
    *   number of keys that fit without growing the arrays
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

  /** The index of a key in insertion order; -1 if it is absent. */
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

  /** The value of a key, or null. */
  def get(key: Key): T = {
    val index = indexOf(key)
    if (index < 0) null.asInstanceOf[T] else valueAt(index)
  }

  def put(key: Key, value: T): Unit = {
    val index = indexOf(key)
    if (index < 0) add(key, value) else set(index, value)
  }

  /** Adds a key that must not be in the map yet. */
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

  /** A copy with its own arrays and the same values. */
  def copied: KeyMap[T] = new KeyMap(keys.clone(), values.clone(), table.clone(), count)

  def keysInOrder: Iterator[Key] = Iterator.range(0, count).map(keyAt)
  def valuesInOrder: Iterator[T] = Iterator.range(0, count).map(valueAt)
}

private object KeyMap {
  private val Least = 4

  /** The capacity for an expected number of keys, a power of two. */
  private def room(expected: Int): Int =
    if (expected <= Least) Least else Integer.highestOneBit(expected - 1) << 1
}
