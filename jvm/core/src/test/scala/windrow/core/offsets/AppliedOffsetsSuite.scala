package windrow.core.offsets

import org.scalatest.funsuite.AnyFunSuite
import scala.collection.mutable
import scala.util.Random
import windrow.SourcePartition
import windrow.core.Full
import windrow.core.state.{ByteReader, ByteWriter, InMemoryShardStore, ShardStore, Space}

/** Checks that exactly the offsets that were applied before count as replays, at any size and in any order
  * (SEMANTICS R13, A1).
  */
final class AppliedOffsetsSuite extends AnyFunSuite {
  import AppliedOffsetsSuite._

  private val size = if (Full.isFull) 1000000 else 4000

  private val streams = Seq(
    "in order"           -> ((_: Random, offsets: Vector[Long]) => offsets),
    "shuffled"           -> ((random: Random, offsets: Vector[Long]) => random.shuffle(offsets)),
    "half an hour ahead" -> ((_: Random, offsets: Vector[Long]) => offsets.sortBy(o => o + (o % 2) * offsets.size / 2)),
    "one in ten late" -> ((random: Random, offsets: Vector[Long]) =>
      offsets.map(o => (o + (if (random.nextInt(10) == 0) random.nextInt(offsets.size) else 0), o)).sorted.map(_._2)))

  private val numbers = Seq(
    "without holes" -> ((n: Int, _: Random) => Vector.tabulate(n)(_.toLong)),
    "with a hole in five" -> ((n: Int, random: Random) =>
      Vector.tabulate(n)(_.toLong).filter(_ => random.nextInt(5) > 0)),
    "every other" -> ((n: Int, _: Random) => Vector.tabulate(n)(_ * 2L)),
    "far apart"   -> ((n: Int, _: Random) => Vector.tabulate(n / 10)(_ * 4000000000L - 123456789012L)))

  /** Every pair of two properties is among the cases of all modes, and every combination among those of `full`. */
  for {
    ((order, ordered), i) <- streams.zipWithIndex
    ((kind, numbered), j) <- numbers.zipWithIndex
    (shards, k)           <- Seq(1, 7).zipWithIndex
    (announce, l)         <- Announce.all.zipWithIndex
    if Full.isFull || (i + j + k + l) % 3 == 0
  } test(s"offsets $order, $kind, $shards shards, $announce of the stream: as a plain set") {
    val random  = new Random(4711)
    val offsets = ordered(random, numbered(size, random)).flatMap(offset => Seq((offset % 3, offset)))
    val again   = offsets.filter(_ => random.nextInt(4) == 0)
    // Replays among the new messages, some of them before their originals.
    val messages = (offsets.zipWithIndex ++ again.map(_ -> random.nextInt(offsets.size))).sortBy(_._2).map(_._1)
    val stream   = new Sharded(shards, random)
    val plain    = mutable.HashSet.empty[(Long, Long)]
    messages.grouped(1 + size / 10).foreach { step =>
      val found = stream.step(step, announce)
      assert(found == step.map { case (partition, offset) => plain.add((partition, offset)) })
    }
  }

  test("a source without holes is one range for each partition, whatever the number of messages; no page is written") {
    val store = new WritesStore
    def header(step: Int): Int = {
      val applied = opened(store)
      val progress =
        (0L until 20L).map(part => Progress(SourcePartition("topic", part), step * 1000L, step * 1000L + 999))
      for (part <- 0L until 20L; n <- 0 until 8)
        assert(applied(SourcePartition("topic", part), step * 1000L + (n * 127 + 64) % 1000, step))
      applied.announce(progress)
      applied.flush((_, _) => false)
      written(applied, store)
    }
    val sizes = (1 to 1000).map(header)
    assert(store.writes == 0)
    assert(sizes.max <= 20 * 64 && sizes.last - sizes.head <= 20 * 4)
  }

  test("offsets reported before the rows of a step form no page during the step, and stay as late as its rows") {
    val store   = new WritesStore
    val applied = opened(store)
    val topic   = SourcePartition("topic", 0)
    applied.announce(Seq(Progress(topic, 0, 99), Progress(topic, 50, 199), Progress(topic, 300, 300)))
    val offsets = Seq(120L, 7L, 120L, 60L, 300L, 250L, 7L, 250L, 199L)
    assert(offsets.map(offset => applied(topic, offset, offset)) ==
      Seq(true, true, false, true, true, true, false, false, true))
    applied.flush((_, _) => false)
    written(applied, store)
    val again = opened(store)
    assert((0L to 301L).filter(again(topic, _, 0)) == (200L to 299L).filterNot(_ == 250) :+ 301L)
    assert(store.writes == 0)
  }

  test("a shard without reports stores an ordered source without holes as one range") {
    val store = new WritesStore
    val sizes = (0 until 1000).map { step =>
      val applied = opened(store)
      (0 until 50).foreach(n => assert(applied(SourcePartition("topic", 0), step * 50L + n, step)))
      applied.flush((_, _) => false)
      written(applied, store)
    }
    assert(store.writes == 0 && sizes.max <= 64)
  }

  test("with holes a step writes the pages that its offsets fall into, and the header grows by a mark for thousands") {
    val store  = new WritesStore
    val random = new Random(1)
    val sizes = (0 until 300).map { step =>
      val applied = opened(store)
      store.writes = 0
      (0 until 100).foreach(n =>
        assert(applied(SourcePartition("topic", 0), (step * 100L + n) * 128 + random.nextInt(128), step)))
      applied.flush((_, _) => false)
      assert(store.writes <= 3)
      written(applied, store)
    }
    assert(sizes.last <= 1024, s"${sizes.last} bytes for 30,000 ranges")
  }

  test("past offsets are removed, so the state does not grow; offsets of messages that can still be accepted stay") {
    val store  = new WritesStore
    val random = new Random(1)
    val kept   = mutable.HashSet.empty[(Long, Long)]
    val sizes = (0 until 400).map { step =>
      val applied = opened(store)
      (0 until 200).foreach { n =>
        val offset = (step * 200L + n) * 10 + random.nextInt(10)
        assert(applied(SourcePartition("topic", 0), offset, step))
        kept += ((step, offset))
      }
      kept.filterInPlace { case (place, _) => place >= step - 20 }
      if (step % 40 == 0) kept.foreach { case (place, offset) =>
        assert(!applied(SourcePartition("topic", 0), offset, place))
      }
      applied.flush((_, place) => place < step - 20)
      written(applied, store)
      store.inner.bytes
    }
    assert(sizes.last < 3 * sizes(60))
  }

  test("a shard that gets a few messages a step fills its last page before it forgets, and no second one") {
    val store  = new WritesStore
    val random = new Random(1)
    val sizes = (0 until 1000).map { step =>
      val applied = opened(store)
      (0 until 3).foreach(n =>
        assert(applied(SourcePartition("topic", 0), step * 500L + n * 160 + random.nextInt(150), step)))
      applied.flush((_, place) => place < step - 4)
      written(applied, store)
      store.inner.bytes
    }
    // 512 runs of about two bytes are 170 steps; a page of them is kept for four more steps.
    assert(sizes.slice(700, 1000).max <= sizes.slice(200, 500).max * 1.05)
    assert(sizes.max <= 2048, s"${sizes.max} bytes")
  }

  test("a message without a time makes nothing stay, one far ahead does") {
    val store = new WritesStore
    def put(from: Long, place: Long) = {
      val applied = opened(store)
      (0 until 5000).foreach(n => assert(applied(SourcePartition("topic", 0), from + n * 2, place)))
      applied.flush((_, place) => place < 100)
      written(applied, store)
      store.inner.bytes
    }
    val ahead = put(0, 1000)
    assert(put(100000, AppliedOffsets.NoPlace) < ahead * 3 / 2)
    assert(put(200000, 1000) > ahead * 3 / 2)
  }

  test("source partitions that are past are forgotten where there are more than a thousand: files as sources") {
    val store = new WritesStore
    val sizes = (0 until 60).map { step =>
      val applied = opened(store)
      for (file <- 0 until 100; n <- 0 until 3) assert(applied(SourcePartition(s"file $step $file", 0), n.toLong, step))
      applied.flush((_, place) => place < step - 2)
      written(applied, store)
    }
    assert(sizes.last <= sizes(30) + 1000)
    assert(!opened(store)(SourcePartition("file 58 99", 0), 1, 58))
  }
}

private[core] object AppliedOffsetsSuite {

  /** The time at which shards learn the offsets that a step adds to the entire stream. */
  sealed abstract class Announce(override val toString: String)
  object Announce {
    case object Before extends Announce("announced before its messages")
    case object After  extends Announce("announced after its messages")
    case object Never  extends Announce("not announced")
    val all: Seq[Announce] = Seq(Before, After, Never)
  }

  /** The offsets of a stream in shards, each of which is reopened in some steps. */
  final class Sharded(count: Int, random: Random) {
    private val stores = Vector.fill(count)(new InMemoryShardStore)
    private val open   = Array.tabulate(count)(n => opened(stores(n)))

    /** Returns whether each of the messages, given as partition and offset, is new. */
    def step(messages: Vector[(Long, Long)], announce: Announce): Vector[Boolean] = {
      val announced = runs(messages)
      if (announce == Announce.Before) open.foreach(_.announce(announced))
      val isNew = messages.map { case (partition, offset) =>
        open(shardOf(offset))(SourcePartition("topic", partition), offset, offset)
      }
      open.indices.foreach { n =>
        if (announce == Announce.After) open(n).announce(announced)
        open(n).flush((_, _) => false)
        written(open(n), stores(n))
        if (random.nextBoolean()) open(n) = opened(stores(n))
      }
      isNew
    }

    private def shardOf(offset: Long) = Math.floorMod(java.lang.Long.hashCode(offset * 31), count)
  }

  def opened(store: ShardStore): AppliedOffsets = {
    val applied = new AppliedOffsets(store)
    Option(store.header).foreach(bytes => applied.read(ByteReader(bytes)))
    applied
  }

  /** Writes the offsets into the header, and returns the size. */
  def written(applied: AppliedOffsets, store: ShardStore): Int = {
    val out = new ByteWriter
    applied.write(out)
    store.putHeader(out.result())
    out.size
  }

  /** Returns the runs without holes of the offsets that a task has seen, up to a small number. */
  def runs(messages: Seq[(Long, Long)]): Seq[Progress] =
    messages.groupMap(_._1)(_._2).toSeq.flatMap { case (partition, offsets) =>
      val sorted = offsets.distinct.sorted
      val starts = sorted.indices.filter(i => i == 0 || sorted(i - 1) != sorted(i) - 1)
      starts.zip(starts.drop(1) :+ sorted.size).map { case (from, until) =>
        Progress(SourcePartition("topic", partition), sorted(from), sorted(until - 1))
      }.take(64)
    }

  /** A store that counts the written values, except the header. */
  final class WritesStore extends ShardStore {
    val inner  = new InMemoryShardStore
    var writes = 0

    def header: Array[Byte]                 = inner.header
    def putHeader(bytes: Array[Byte]): Unit = inner.putHeader(bytes)
    def space(name: String): Space = {
      val of = inner.space(name)
      new Space {
        def get(id: Long): Array[Byte]              = of.get(id)
        def put(id: Long, bytes: Array[Byte]): Unit = { writes += 1; of.put(id, bytes) }
        def remove(id: Long): Unit                  = of.remove(id)
      }
    }
  }
}
