package windrow.core.state

import java.util.{HashMap => JHashMap}
import scala.collection.mutable.ArrayBuffer
import windrow.ErrorConditions
import windrow.core.time.Due

/** Values by key in hash buckets, each with the earliest time at which one of its keys is due.
  *
  * Only buckets that are touched or due are read. When the buckets outgrow `bucketBytes`, one of them is split, then
  * the next (linear hashing), so growth never loads all keys at once. As keys leave, buckets are merged in reverse
  * order.
  *
  * @param deadlinesMove
  *   deadlines can differ in the next step even if no value changes
  */
final class KeyBuckets[T](
    name: String,
    store: Spaces,
    codec: Codec[T],
    deadline: T => Long,
    bucketBytes: Int = 4096,
    deadlinesMove: Boolean = false) extends StatePart {
  type Keyed = JHashMap[Key, T]

  /** @param keys
    *   number of stored keys
    */
  private final class Bucket(var deadline: Long, var bytes: Long, var keys: Long) {
    var values: Keyed    = _
    var changed: Boolean = false
  }

  private val space   = store.space(name)
  private val buckets = ArrayBuffer(new Bucket(Due.Never, 0, 0))

  /** Number of all keys: exact for the buckets as written, adjusted by later changes. */
  private var count = 0L

  /** Average size of a key and its value at the end of the last step. */
  private var bytesPerKey = KeyBuckets.Guess

  /** Number of keys that have a value. */
  def size: Long = count

  def readDirectory(in: ByteReader): Unit = {
    val number = in.size()
    if (number == 0) throw in.damaged(s"$name has no buckets")
    buckets.clear()
    (0 until number).foreach { _ =>
      val (due, bytes, keys) = (in.long(), in.count(), in.count())
      if (bytes < 0 || keys < 0) throw in.damaged(s"a bucket of $name has $keys keys in $bytes bytes")
      buckets += new Bucket(due, bytes, keys)
    }
    count = buckets.iterator.map(_.keys).sum
    estimate()
  }

  def writeDirectory(out: ByteWriter): Unit = {
    out.count(buckets.size.toLong)
    buckets.foreach { bucket =>
      out.long(bucket.deadline)
      out.count(bucket.bytes)
      out.count(bucket.keys)
    }
  }

  /** The earliest time at which a key is due, according to the buckets as last written. */
  def firstDue: Long = buckets.iterator.map(_.deadline).min

  /** The value of a key, or null. */
  def get(key: Key): T = loaded(indexOf(key)).get(key)

  def put(key: Key, value: T): Unit = {
    val index = indexOf(key)
    val isNew = loaded(index).put(key, value) == null
    buckets(index).changed = true
    if (isNew) added()
  }

  private def added(): Unit = {
    count += 1
    if (count * bytesPerKey > most) split()
  }

  /** The value of a key, which the caller changes.
    *
    * @param create
    *   creates the value if the key has none
    */
  def change(key: Key)(create: => T): T = {
    val index = indexOf(key)
    val keyed = loaded(index)
    val known = keyed.get(key)
    buckets(index).changed = true
    if (known != null) known
    else {
      val made = create
      keyed.put(key, made)
      added()
      made
    }
  }

  def remove(key: Key): Unit = {
    val index = indexOf(key)
    if (loaded(index).remove(key) != null) count -= 1
    buckets(index).changed = true
  }

  /** Keys of all buckets in which a key may be due at a position, and of all changed buckets. */
  def due(position: Long): Iterator[Key] = dueBuckets(position).flatMap(keysOf)

  def all: Iterator[Key] = due(Due.Never)

  /** Same keys as `due`. Each bucket is written if it has changed and then released from memory when the next one is
    * requested. The caller must finish with a key before it takes the next one, and must not add keys meanwhile.
    */
  def walk(position: Long): Iterator[Key] = dueBuckets(position).flatMap { index =>
    keysOf(index) ++ {
      letGo(index)
      Iterator.empty
    }
  }

  /** Like `walk`, for all keys. */
  def walkAll: Iterator[Key] = walk(Due.Never)

  /** Like `walk`, for the keys of buckets that have changed or are always due. */
  def walkChanged: Iterator[Key] = walk(Due.AtOnce)

  private def dueBuckets(position: Long): Iterator[Int] =
    buckets.indices.iterator.filter(index => buckets(index).changed || buckets(index).deadline <= position)

  private def keysOf(index: Int): Iterator[Key] = loaded(index).keySet.toArray(Array.empty[Key]).iterator

  private def letGo(index: Int): Unit = {
    val bucket = buckets(index)
    if (bucket.changed) write(index) else if (deadlinesMove) bucket.deadline = firstDeadline(bucket)
    bucket.values = null
  }

  private def firstDeadline(bucket: Bucket): Long =
    bucket.values.values.stream.mapToLong(deadline(_)).reduce(Due.Never, math.min(_, _))

  override def flush(): Unit = {
    buckets.indices.foreach(index => if (buckets(index).changed) write(index))
    estimate()
    val total = buckets.iterator.map(_.bytes).sum
    while (total > most) {
      split()
      Seq(buckets.size - 1, splitFrom(buckets.size - 1)).foreach(index => if (buckets(index).changed) letGo(index))
    }
    while (buckets.size > 1 && total * KeyBuckets.Emptied < most) merge()
    if (buckets.count(_.values != null) > KeyBuckets.Cached) buckets.foreach(_.values = null)
  }

  /** Number of bytes that the current number of buckets may hold. */
  private def most: Long = bucketBytes.toLong * buckets.size * 3 / 2

  private def estimate(): Unit = {
    count = buckets.iterator.map(_.keys).sum
    if (count > 0) bytesPerKey = math.max(1, buckets.iterator.map(_.bytes).sum / count)
  }

  // ---- linear hashing

  private def hash(key: Key): Int = {
    val hash = key.storedHash * 0x9e3779b9 // all keys of a shard have similar hashes, because the hash chose the shard
    hash ^ (hash >>> 16)
  }

  /** The bucket of a key. Buckets up to the next power of two that do not exist yet are still part of the bucket from
    * which they will be split.
    */
  private def indexOf(key: Key): Int = {
    val low   = Integer.highestOneBit(buckets.size)
    val index = hash(key) & (2 * low - 1)
    if (index < buckets.size) index else index & (low - 1)
  }

  private def splitFrom(index: Int): Int = index - Integer.highestOneBit(index)

  /** Adds a bucket and moves about half of the keys of another bucket to it. */
  private def split(): Unit = {
    val added = buckets.size
    val from  = splitFrom(added)
    val left  = loaded(from)
    buckets += new Bucket(Due.Never, 0, 0)
    buckets(added).values = new Keyed
    buckets(added).changed = true
    buckets(from).changed = true
    left.entrySet.removeIf { entry =>
      val moves = indexOf(entry.getKey) == added
      if (moves) buckets(added).values.put(entry.getKey, entry.getValue)
      moves
    }
    ()
  }

  /** Removes the last bucket and moves its keys to the one from which it was split. */
  private def merge(): Unit = {
    val last = buckets.size - 1
    val to   = splitFrom(last)
    if (buckets(last).bytes > 0) {
      val moved = loaded(last)
      loaded(to).putAll(moved)
      space.remove(last.toLong)
      buckets(to).changed = true
    }
    buckets.remove(last)
    if (buckets(to).changed) letGo(to)
  }

  // ---- bytes

  private def loaded(index: Int): Keyed = {
    val bucket = buckets(index)
    if (bucket.values == null) {
      bucket.values = new Keyed
      if (bucket.bytes > 0) {
        val bytes = space.get(index.toLong)
        if (bytes == null)
          throw new DamagedStateError(ErrorConditions.message("STATE_DAMAGED.BUCKET", "index" -> index, "name" -> name))
        val in = ByteReader.unsealed(bytes, s"bucket $index of $name")
        if (in.left != bucket.bytes) throw in.damaged(s"it has ${in.left} bytes instead of ${bucket.bytes}")
        in.decode { in =>
          while (in.hasNext) {
            val key = new Key(in.bytes())
            if (indexOf(key) != index) throw in.damaged("it contains a key of another bucket")
            bucket.values.put(key, codec.read(in))
          }
        }
      }
    }
    bucket.values
  }

  private def write(index: Int): Unit = ByteWriter.lent { out =>
    val bucket = buckets(index)
    bucket.deadline = Due.Never
    bucket.values.forEach { (key, value) =>
      out.bytes(key.bytes)
      codec.write(value, out)
      bucket.deadline = math.min(bucket.deadline, deadline(value))
    }
    bucket.bytes = out.size.toLong
    bucket.keys = bucket.values.size.toLong
    bucket.changed = false
    if (bucket.bytes == 0) space.remove(index.toLong) else space.put(index.toLong, out.sealedResult())
  }
}

private object KeyBuckets {

  /** Assumed size of a key and its value before any is stored. */
  val Guess = 64L

  /** Buckets are merged when they hold less than one part in this many of their capacity. */
  val Emptied = 4L

  /** Buckets are merged when they hold less than 1 / `Emptied` of their capacity. */
  val Cached = 256
}
