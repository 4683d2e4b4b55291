package windrow.core.state

import org.scalatest.funsuite.AnyFunSuite
import scala.collection.mutable
import scala.util.Random
import windrow.core.Full

/** Compares buckets with a map (SEMANTICS S5, S10). */
class KeyBucketsSuite extends AnyFunSuite {
  import KeyBucketsSuite._

  private val rounds = if (Full.isFull) 5000 else 100

  private def key(n: Int): Key = new Key(BigInt(n).toByteArray)

  private def reopened(store: ShardStore, before: KeyBuckets[Due]): KeyBuckets[Due] = {
    val out = new ByteWriter
    before.writeDirectory(out)
    val after = open(store)
    after.readDirectory(ByteReader(out.result()))
    after
  }

  private def open(store: ShardStore) = new KeyBuckets[Due]("keys", store, Dues, _.at, bucketBytes = 64)

  test(s"what is put, removed, walked and found in $rounds random runs, with restarts, is what a map has") {
    (1 to rounds).foreach { seed =>
      val random = new Random(seed)
      val store  = new InMemoryShardStore
      val model  = mutable.HashMap.empty[Key, Long]
      var keys   = open(store)
      (1 to 1 + random.nextInt(300)).foreach { _ =>
        val one = key(random.nextInt(200))
        random.nextInt(13) match {
          case 12 =>
            val leaves = model.keySet.filter(_ => random.nextInt(10) > 0).toSeq
            leaves.foreach(keys.remove)
            model --= leaves
          case 0 =>
            keys.flush()
            assert(keys.size == model.size)
            keys = reopened(store, keys)
          case 1 => assert(keys.walk(Long.MaxValue).toSet == model.keySet)
          case 2 =>
            val time  = random.nextLong()
            val found = keys.walk(time).filter(one => model(one) <= time).toSet
            assert(found == model.filter(_._2 <= time).keySet)
          case 3 | 4 =>
            keys.remove(one)
            model -= one
          case _ =>
            model(one) = random.nextLong()
            keys.put(one, Due(model(one)))
        }
        assert(Option(keys.get(one)).map(_.at) == model.get(one))
      }
      assert(keys.due(Long.MaxValue).toSet == model.keySet && keys.size == model.size)
    }
  }

  test("SEMANTICS S1, B7: a damaged bucket is named by its number, and none of its keys is") {
    val secret = "hushhush-4711-"
    def kept(change: InMemoryShardStore => Unit) = {
      val store = new InMemoryShardStore
      val keys  = open(store)
      val all   = (101 to 140).map(n => new Key(s"$secret$n".getBytes))
      all.foreach(keys.put(_, Due(7)))
      keys.flush()
      change(store)
      intercept[DamagedStateError](all.foreach(reopened(store, keys).get(_))).getMessage
    }
    val missing = kept(_.space("keys").remove(1))
    val torn    = kept(store => store.space("keys").put(1, store.space("keys").get(1).dropRight(3)))
    val swapped = kept { store =>
      val own = store.space("keys").get(1)
      store.space("keys").put(
        1,
        store.entries.collectFirst { case (_, id, other) if id != 1 && other.length == own.length => other }.get)
    }
    val longer = kept(store => store.space("keys").put(1, store.space("keys").get(0)))
    assert(missing.startsWith("[STATE_DAMAGED] Bucket 1 of keys is missing. "))
    assert(torn.startsWith("[STATE_DAMAGED] The checksum of bucket 1 of keys "))
    assert(swapped.startsWith("[STATE_DAMAGED] The state contains a damaged value: bucket 1 of keys "))
    assert(swapped.contains("it contains a key of another bucket"))
    assert(longer.matches(raw".* bucket 1 of keys cannot be read, because it has \d+ bytes instead of \d+\. .*"))
    val hex = secret.getBytes.map(byte => f"$byte%02x").mkString
    for (text <- Seq(missing, torn, swapped)) assert(!text.contains(secret) && !text.contains(hex))
  }

  test("SEMANTICS S1: a bucket with a wrong large size is not split endlessly") {
    val store = new InMemoryShardStore
    val keys  = open(store)
    keys.put(new Key(Array(1)), Due(7))
    keys.flush()
    def said(bytes: Long): String = {
      val out = new ByteWriter
      out.count(1)
      out.long(7)
      Seq(bytes, 1L).foreach(out.count)
      val again = open(store)
      intercept[DamagedStateError] {
        again.readDirectory(ByteReader(out.result(), "a header"))
        again.flush()
      }.getMessage
    }
    assert(said(1L << 40).contains("bucket 0 of keys cannot be read, because it has "))
    assert(said(-1).contains("a header cannot be read, because a bucket of keys has 1 keys in -1 bytes. "))
  }

  test("S10: a walk over all keys and growth hold a few buckets") {
    val store = new CountingStore
    val keys  = new KeyBuckets[Due]("keys", store, Dues, _.at)
    (0 until 20000).foreach(n => keys.put(key(n), Due(n.toLong)))
    keys.flush()
    val grown = store.bytesWritten
    assert(grown < 20000 * 40, s"$grown bytes for 20,000 keys of some 11")
    val again = reopenedAt(store, keys)
    again.walk(Long.MaxValue).foreach(one => again.put(one, Due(1)))
    store.reads = 0
    (0 until 20000).foreach(n => assert(again.get(key(n)) == Due(1)))
    assert(store.reads > 20000 * 11 / 8192, "they were let go of and must be read again")
  }

  test("S10: the directory of buckets shrinks when keys are removed") {
    val store = new CountingStore
    val keys  = new KeyBuckets[Due]("keys", store, Dues, _.at)
    (0 until 20000).foreach(n => keys.put(key(n), Due(n.toLong)))
    keys.flush()
    (10 until 20000).foreach(n => keys.remove(key(n)))
    keys.flush()
    val told = new ByteWriter
    keys.writeDirectory(told)
    assert(store.values("keys") <= 2 && told.size < 50, s"${store.values("keys")} buckets, ${told.size} bytes")
    val again = reopenedAt(store, keys)
    assert((0 until 20).count(n => again.get(key(n)) != null) == 10)
  }

  private def reopenedAt(store: ShardStore, before: KeyBuckets[Due]): KeyBuckets[Due] = {
    val out = new ByteWriter
    before.writeDirectory(out)
    val after = new KeyBuckets[Due]("keys", store, Dues, _.at)
    after.readDirectory(ByteReader(out.result()))
    after
  }
}

private object KeyBucketsSuite {
  final case class Due(at: Long)

  object Dues extends Codec[Due] {
    def write(value: Due, out: ByteWriter): Unit = out.long(value.at)
    def read(in: ByteReader): Due                = Due(in.long())
  }
}
