package windrow.core.state

import java.util.{HashMap => JHashMap}

/** Values by key, in buckets by hash, each with the earliest time at which one of its keys needs to be looked at.
  *
  * Only buckets that are touched or due are read. Their number doubles when they outgrow `bucketBytes` on average.
  */
final class KeyBuckets[T](
    name: String,
    store: Spaces,
    codec: Codec[T],
    deadline: T => Long,
    bucketBytes: Int = 4096) {
  type Keyed = JHashMap[Key, T]

  private final class Bucket {
    var deadline: Long   = Long.MaxValue
    var bytes: Long      = 0
    var values: Keyed    = _
    var changed: Boolean = false
  }

  private val space   = store.space(name)
  private var buckets = Array(new Bucket)

  def readDirectory(in: ByteReader): Unit = buckets = Array.fill(in.count().toInt) {
    val bucket = new Bucket
    bucket.deadline = in.long()
    bucket.bytes = in.count()
    bucket
  }

  def writeDirectory(out: ByteWriter): Unit = {
    out.count(buckets.length.toLong)
    buckets.foreach { bucket =>
      out.long(bucket.deadline)
      out.count(bucket.bytes)
    }
  }

  /** The value of a key, or null. */
  def get(key: Key): T = loaded(indexOf(key)).values.get(key)

  def put(key: Key, value: T): Unit = {
    val bucket = loaded(indexOf(key))
    bucket.values.put(key, value)
    bucket.changed = true
  }

  def remove(key: Key): Unit = {
    val bucket = loaded(indexOf(key))
    bucket.values.remove(key)
    bucket.changed = true
  }

  /** Keys in buckets where something may be due at a time; a bucket that changed is always among them. */
  def due(time: Long): Iterator[Key] =
    buckets.indices.iterator
      .filter(index => buckets(index).changed || buckets(index).deadline <= time)
      .flatMap(index => loaded(index).values.keySet.toArray(Array.empty[Key]))

  def flush(): Unit = {
    buckets.indices.foreach(index => if (buckets(index).changed) write(index))
    if (buckets.map(_.bytes).sum > bucketBytes.toLong * buckets.length * 2) grow()
  }

  private def indexOf(key: Key): Int = {
    val hash = key.hashCode * 0x9e3779b9 // the shard has used the plain hash already
    (hash ^ (hash >>> 16)) & (buckets.length - 1)
  }

  private def loaded(index: Int): Bucket = {
    val bucket = buckets(index)
    if (bucket.values == null) {
      bucket.values = new Keyed
      if (bucket.bytes > 0) {
        val bytes = space.get(index.toLong)
        if (bytes == null) throw new DamagedStateError(s"[STATE_DAMAGED] bucket $index of $name is missing.")
        val in = ByteReader.unsealed(bytes, s"bucket $index of $name")
        while (in.hasNext) bucket.values.put(new Key(in.bytes()), codec.read(in))
      }
    }
    bucket
  }

  private def write(index: Int): Unit = {
    val bucket = buckets(index)
    val out    = new ByteWriter(bucketBytes * 2)
    bucket.deadline = Long.MaxValue
    bucket.values.forEach { (key, value) =>
      out.bytes(key.bytes)
      codec.write(value, out)
      bucket.deadline = math.min(bucket.deadline, deadline(value))
    }
    bucket.bytes = out.size.toLong
    bucket.changed = false
    if (bucket.bytes == 0) space.remove(index.toLong) else space.put(index.toLong, out.sealedResult())
  }

  private def grow(): Unit = {
    val all =
      buckets.indices.flatMap(index => loaded(index).values.entrySet.toArray(Array.empty[java.util.Map.Entry[Key, T]]))
    buckets = Array.fill(buckets.length * 2)(new Bucket)
    buckets.foreach(bucket => { bucket.values = new Keyed; bucket.changed = true })
    all.foreach(entry => put(entry.getKey, entry.getValue))
    buckets.indices.foreach(write)
  }
}
