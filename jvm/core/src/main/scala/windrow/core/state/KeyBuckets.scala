package windrow.core.state

import java.util.{HashMap => JHashMap}
import windrow.core.time.Due
import scala.collection.mutable.ArrayBuffer
import windrow.ErrorConditions

/** Values by key, in buckets by hash, each with the earliest time at which one of its keys needs to be looked at.
  *
  * Only buckets that are touched or due are read. When they outgrow `bucketBytes` one of them is split, then the next
  * (linear hashing), so growth never holds all keys at once; as keys leave, buckets go the same way.
  *
  * @param deadlinesMove
  *   deadlines are other ones in the next step, though no value changes
  */
final class KeyBuckets[T](
    name: String,
    store: Spaces,
    codec: Codec[T],
    deadline: T => Long,
    bucketBytes: Int = 4096,
    deadlinesMove: Boolean = false) {
  type Keyed = JHashMap[Key, T]

  /** @param keys
    *   as many as are stored
    */
  private final class Bucket(var deadline: Long, var bytes: Long, var keys: Long) {
    var values: Keyed    = _
    var changed: Boolean = false
  }

  private val space   = store.space(name)
  private val buckets = ArrayBuffer(new Bucket(Due.Never, 0, 0))

  /** Of all keys, as far as buckets know of theirs. */
  private var count = 0L

  /** What a key takes up, as it was at the end of the last step. */
  private var bytesPerKey = KeyBuckets.Guess

  /** How many keys have a value. */
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

  /** The earliest time at which a key needs to be looked at, as buckets were written. */
  def firstDue: Long = buckets.iterator.map(_.deadline).min

  /** The value of a key, or null. */
  def get(key: Key): T = loaded(indexOf(key)).get(key)

  def put(key: Key, value: T): Unit = {
    val index = indexOf(key)
    val isNew = loaded(index).put(key, value) == null
    buckets(index).changed = true
    if (isNew) {
      count += 1
      if (count * bytesPerKey > most) split()
    }
  }

  def remove(key: Key): Unit = {
    val index = indexOf(key)
    if (loaded(index).remove(key) != null) count -= 1
    buckets(index).changed = true
  }

  /** Keys in buckets where something may be due at a position; a bucket that changed is always among them. */
  def due(position: Long): Iterator[Key] = dueBuckets(position).flatMap(keysOf)

  /** All keys. */
  def all: Iterator[Key] = due(Due.Never)

  /** The same keys; each bucket is written, if it has changed, and let go of as the next one is asked for. What is done
    * with a key is done before the next one is taken, and no key is added meanwhile.
    */
  def walk(position: Long): Iterator[Key] = dueBuckets(position).flatMap { index =>
    keysOf(index) ++ {
      letGo(index)
      Iterator.empty
    }
  }

  /** All keys, in the same way. */
  def walkAll: Iterator[Key] = walk(Due.Never)

  /** The keys in buckets that have changed or are always due, in the same way. */
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

  def flush(): Unit = {
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

  /** So many bytes may stand in this number of buckets. */
  private def most: Long = bucketBytes.toLong * buckets.size * 3 / 2

  private def estimate(): Unit = {
    count = buckets.iterator.map(_.keys).sum
    if (count > 0) bytesPerKey = math.max(1, buckets.iterator.map(_.bytes).sum / count)
  }

  // ---- linear hashing

  private def hash(key: Key): Int = {
    val hash = key.storedHash * 0x9e3779b9 // keys of a shard agree in the hash that sent them there
    hash ^ (hash >>> 16)
  }

  /** Those below the next power of two that are not there yet are still in the bucket from which they will be split. */
  private def indexOf(key: Key): Int = {
    val low   = Integer.highestOneBit(buckets.size)
    val index = hash(key) & (2 * low - 1)
    if (index < buckets.size) index else index & (low - 1)
  }

  private def splitFrom(index: Int): Int = index - Integer.highestOneBit(index)

  /** Adds a bucket, which takes about half of another's keys. */
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

  /** Gives the keys of the last bucket back to the one from which it was split. */
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
            if (indexOf(key) != index) throw in.damaged("it has a key of another bucket")
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

  /** Bytes of a key and its value, before anything is known. */
  val Guess = 64L

  /** Buckets go when they have less than this part of what they may have. */
  val Emptied = 4L

  /** So many buckets stay in memory between steps. */
  val Cached = 256
}
