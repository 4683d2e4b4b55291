package windrow.core.store

import org.scalatest.funsuite.AnyFunSuite
import scala.util.Random
import windrow.core.operator.Origin
import windrow.core.state._
import windrow.core.time.Axis

/** Compares a run of messages with a sorted list, for any segments (SEMANTICS R10, R11, R24, S5). */
class MessageRunSuite extends AnyFunSuite {
  private val codec = StoredMessage.codec(None)

  private final class Kept(segmentBytes: Int, heldBytes: Long) {
    private val store = new InMemoryShardStore
    private var root  = Array.emptyByteArray
    private var ids   = Array.emptyByteArray
    var run           = open()

    private def open(): MessageRun = {
      val segments = new Segments("messages", store)
      if (ids.nonEmpty) segments.readDirectory(ByteReader(ids))
      current = segments
      val run = new MessageRun(StoredMessage.Order, codec, segments, segmentBytes, heldBytes, withTotals = true)
      if (root.nonEmpty) run.read(ByteReader(root))
      run
    }

    private var current: Segments = _

    def restart(): Unit = {
      val (out, directory) = (new ByteWriter, new ByteWriter)
      run.write(out)
      current.writeDirectory(directory)
      root = out.result()
      ids = directory.result()
      run = open()
    }

    def storedBytes: Long = store.bytes
  }

  private def message(random: Random, offset: Long): StoredMessage = StoredMessage(
    new Key(Array(1)),
    random.nextInt(60) - 30L,
    Option.when(random.nextInt(3) > 0)(Origin("s", random.nextInt(2).toLong, offset)),
    Array.fill(random.nextInt(20) / 12)(random.nextInt(2).toByte),
    isSettled = random.nextInt(4) == 0)

  private def isSame(a: Seq[StoredMessage], b: Seq[StoredMessage]): Boolean = {
    def shown(all: Seq[StoredMessage]) = all.map(m => (m.key, m.time, m.origin, m.payload.toSeq, m.isSettled))
    shown(a) == shown(b)
  }

  test("500 random histories: adding, ranges on both axes, retention, settling, restarts") {
    (1 to 500).foreach { seed =>
      val random = new Random(seed.toLong)
      val kept   = new Kept(Seq(1, 60, 300, 4096)(random.nextInt(4)), Seq(0L, 200L, 1L << 20)(random.nextInt(3)))
      var list   = Vector.empty[StoredMessage]
      (1 to 60).foreach { step =>
        random.nextInt(8) match {
          case 0 => kept.restart()
          case 1 =>
            val bound = RetentionBound(random.nextInt(60) - 40L, random.nextInt(30).toLong, random.nextInt(80) - 30L)
            val gone  = list.indices.find(i => !bound.leaves(list(i).time, (list.size - i).toLong)).getOrElse(list.size)
            if (random.nextInt(20) == 0) {
              assert(isSame(kept.run.takeAll().toSeq, list) && kept.run.isEmpty, s"seed $seed, step $step")
              list.foreach(kept.run.add)
            }
            if (random.nextBoolean()) assert(kept.run.retire(bound.leaves) == gone, s"seed $seed, step $step")
            else {
              val left =
                Iterator.continually(kept.run.leaving(bound.leaves)).takeWhile(_.isDefined).flatten.map { one =>
                  kept.run.dropOldest()
                  one
                }
              assert(isSame(left.toVector, list.take(gone)), s"seed $seed, step $step")
            }
            list = list.drop(gone)
          case 2 if list.nonEmpty =>
            val open = kept.run.range(Axis.Time, None, None).filterNot(_.isSettled).toVector
            if (open.nonEmpty) {
              val one = open(random.nextInt(open.size))
              kept.run.settle(one)
              val at = list.indexWhere(other => !other.isSettled && StoredMessage.Order.equiv(one, other))
              list = list.updated(at, list(at).copy(isSettled = true))
            }
          case _ => (0 to random.nextInt(2) * random.nextInt(12)).foreach { more =>
              val next = message(random, step * 100L + more)
              val at = list.indexWhere(one =>
                StoredMessage.Order.gt(one, next) ||
                  (StoredMessage.Order.equiv(one, next) && next.isSettled && !one.isSettled))
              kept.run.add(next)
              list = list.patch(if (at < 0) list.size else at, Seq(next), 0)
            }
        }
        check(random, kept.run, list, s"seed $seed, step $step")
      }
      kept.run.clear()
      assert(kept.run.isEmpty && kept.storedBytes == 0)
    }
  }

  private def checkTotals(
      run: MessageRun,
      list: Vector[StoredMessage],
      from: Option[Long],
      to: Long,
      where: String): Unit = {
    val inside = list.filter(m => from.forall(_ <= m.time) && m.time <= to)
    val offsets = inside.flatMap(_.origin).groupMap(_.partition)(_.offset)
      .map { case (of, all) => of -> OffsetSpan(all.min, all.max) }
    assert(run.totals(from, to) == Totals(inside.size.toLong, offsets), where)
    val open = inside.filterNot(_.isSettled)
    assert(isSame(run.unsettled(from.getOrElse(Long.MinValue), to).toVector, open), where)
  }

  private def check(random: Random, run: MessageRun, list: Vector[StoredMessage], where: String): Unit = {
    assert(run.size == list.size, where)
    assert(isSame(run.oldest.toSeq, list.take(1)), where)
    val time = random.nextInt(70) - 35L
    assert(isSame(run.lastBefore(time).toSeq, list.filter(_.time < time).takeRight(1)), where)
    val axis       = if (random.nextBoolean()) Axis.Time else Axis.Offset
    def end()      = Option.when(random.nextInt(4) > 0)(random.nextInt(60) - 20L)
    val (from, to) = (end(), end())
    val wanted = list.filter { m =>
      val at = if (axis == Axis.Time) Some(m.time) else m.origin.map(_.offset)
      (from.isEmpty && to.isEmpty) || at.exists(p => from.forall(_ <= p) && to.forall(p <= _))
    }
    assert(isSame(run.range(axis, from, to).toVector, wanted), where)
    checkTotals(run, list, from, to.getOrElse(Long.MaxValue), where)
  }

  test("S11: of messages that come in one step, or are read in one, a part is in memory") {
    val store = new CountingStore
    val run   = new MessageRun(StoredMessage.Order, codec, new Segments("messages", store), heldBytes = 1L << 20)
    def all   = run.range(Axis.Time, None, None)
    def most(steps: Iterator[_]): Long = steps.map(_ => run.inMemory).max
    val coming = Iterator.range(0, 20000).map(n =>
      run.add(StoredMessage(new Key(Array.empty), (n * 7919L) % 20011, Some(Origin("s", 0, n.toLong)), new Array(200))))
    assert(most(coming) < (3 << 19))
    assert(most(all) < (3 << 19) && all.size == 20000 && all.map(_.time).toSeq == all.map(_.time).toSeq.sorted)
    all.filter(_.time % 3 == 0).foreach(run.settle)
    assert(all.forall(message => message.isSettled == (message.time % 3 == 0)))
  }

  test("of a long run only the segments in a range are read, and whole ones leave unread") {
    val store = new CountingStore
    def segments(next: Array[Byte]) = {
      val all = new Segments("messages", store)
      if (next.nonEmpty) all.readDirectory(ByteReader(next))
      all
    }
    val (root, ids) = (new ByteWriter, new ByteWriter)
    val first       = segments(Array.empty)
    val long        = new MessageRun(StoredMessage.Order, codec, first, 500)
    (0L until 2000L).foreach(i =>
      long.add(StoredMessage(new Key(Array.empty), i, Some(Origin("s", 0, i)), Array.fill(10)(1))))
    long.write(root)
    first.writeDirectory(ids)

    val again = new MessageRun(StoredMessage.Order, codec, segments(ids.result()), 500)
    again.read(ByteReader(root.result()))
    store.reads = 0
    assert(again.range(Axis.Time, Some(1000), Some(1010)).size == 11)
    assert(store.reads <= 3)
    store.reads = 0
    assert(again.retire((time, _) => time < 900) == 900)
    assert(store.reads <= 1)
    assert(again.oldest.map(_.time).contains(900L))
  }

  test("S10: the root of a long run, which each step writes, grows with its square root") {
    val run = new MessageRun(StoredMessage.Order, codec, new Segments("messages", new InMemoryShardStore))
    def root(until: Int): Int = {
      (run.size.toInt until until).foreach(n =>
        run.add(StoredMessage(new Key(Array.empty), n.toLong, Some(Origin("s", 0, n.toLong)), new Array(100))))
      val out = new ByteWriter
      run.write(out)
      out.size
    }
    val some = root(50000)
    val more = root(200000)
    assert(more < 2.2 * some, s"$some, then $more")
    assert(run.range(Axis.Time, None, None).map(_.time).sameElements(0L until 200000L))
  }
}
