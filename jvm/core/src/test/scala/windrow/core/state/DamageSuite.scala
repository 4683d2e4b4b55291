package windrow.core.state

import com.sun.management.ThreadMXBean
import java.lang.management.ManagementFactory
import org.scalatest.funsuite.AnyFunSuite
import scala.collection.mutable
import scala.util.Random
import scala.util.hashing.byteswap64
import windrow._
import windrow.core.fullstate.FullStateShard
import windrow.core.join.JoinShard
import windrow.core.operator._
import windrow.core.policy.PolicyEntry
import windrow.core.policy.PolicyShard
import windrow.core.shard.Shard
import windrow.core.store.Incoming
import windrow.core.time.Axis
import windrow.core.time.Watermark
import windrow.operators.Sum

/** State in which bytes have changed under a checksum that fits is refused by name, or read as something that does no harm:
  * no memory is taken for what cannot be there, and reading ends (SEMANTICS S1).
  *
  * `-Dwindrow.damages=1000000` for so many.
  */
final class DamageSuite extends AnyFunSuite {
  private val count: Int = sys.props.get("windrow.damages").map(_.toInt).getOrElse(
    sys.props.getOrElse("windrow.mode", "default") match {
      case "quick" => 1000
      case "full"  => 10000000
      case _       => 4000
    })

  /** One value may ask for so much, beside what a sound one does: far less than the numbers that damage makes. */
  private val mostBytes = 16L << 20

  private val threads = ManagementFactory.getThreadMXBean.asInstanceOf[ThreadMXBean]

  /** What a look takes of memory, in bytes. */
  private def taken(look: => Unit): Long = {
    val before = threads.getCurrentThreadAllocatedBytes
    look
    threads.getCurrentThreadAllocatedBytes - before
  }

  private val span     = TimeSpan(5000)
  private val messages = (0 until 60).map(i => (key(i % 7), 1000L + i * 37 % 900, Origin("orders", i % 3L, i.toLong)))

  private def key(of: Int): Key = new Key(BigInt(of).toByteArray)

  private def entries: Iterator[Entry[Long]] = messages.iterator.map { case (key, time, from) =>
    val row  = BigInt(from.offset).toByteArray
    val pane = IncomingPane(0, 5000, Timing.Early, isRetraction = false, new Key(row))
    Entry(key, Some(time), gap = 100, count = 1, buffer = 1L, raw = row, Some(from), Some(pane))
  }

  private def stored(write: InMemoryShardStore => Unit): InMemoryShardStore = {
    val store = new InMemoryShardStore
    write(store)
    store
  }

  private def aggregated(window: WindowKind): Unit = {
    val draft = WindowOperatorDraft(
      window,
      lateness = Some(TimeSpan(100000)),
      early = AnyOf(Seq(EachStep, EveryPeriod(TimeSpan(1000000)))),
      late = Every(3),
      accumulation = Some(Accumulating))
    def shard(store: InMemoryShardStore) = new Shard(draft.checked, Sum, store)
    check(window.toString)(store => shard(store).step(entries, Watermark(1500), Some(0L)).foreach(_ => ())) { store =>
      shard(store).pending.take(1000).foreach(_ => ())
    }

  }

  /** @param look
    *   reads all that is there
    */
  private def check(what: String)(write: InMemoryShardStore => Unit)(look: InMemoryShardStore => Unit): Unit =
    test(s"${count / DamageSuite.Kinds} damaged states of $what") {
      val sound = stored(write)
      look(sound.snapshot)
      val bound  = taken(look(sound.snapshot)) + mostBytes
      val others = mutable.TreeMap.empty[String, String]
      var named  = 0
      (1 to count / DamageSuite.Kinds).foreach { seed =>
        val random  = new Random(byteswap64(seed.toLong)) // neighbouring seeds begin with the same numbers
        val damaged = Damage(sound, random)
        try {
          val bytes = taken(look(damaged))
          if (bytes > bound) others(s"$bytes bytes taken") = s"seed $seed"
        } catch {
          case _: DamagedStateError => named += 1
          case other: Exception =>
            val at = other.getStackTrace.filter(_.getClassName.startsWith("windrow")).take(3).mkString(" < ")
            others(s"${other.getClass.getSimpleName} at $at") = s"seed $seed: ${other.getMessage}"
        }
      }
      assert(others.isEmpty, others.mkString("\n", "\n", ""))
      assert(named > 0, "no damage was found")
    }

  Seq(
    Tumbling(span),
    Hopping(span, TimeSpan(500)),
    Session(TimeSpan(100)),
    Sliding(span, TimeSpan(1)),
    Over.Rows(3),
    Count(30),
    Offsets(30),
    TupleSession(30),
    Global,
    Inherit()).foreach(aggregated)

  private val incoming = messages.map { case (key, time, from) => Incoming(key, Some(time), Some(from), key.bytes) }

  private def kept(store: InMemoryShardStore, pageBytes: Int) =
    new FullStateShard(
      FullStateDraft(
        Tumbling(TimeSpan(50)),
        lateness = Some(TimeSpan.Zero),
        retention = Retention(time = Some(TimeSpan(100000)))).checked,
      store,
      pageBytes = pageBytes)

  for ((what, pageBytes) <- Seq("full state" -> 4096, "full state, windows apart" -> 40))
    check(what)(store =>
      kept(store, pageBytes)
        .step(incoming.sorted(Incoming.order(Tumbling(span))).iterator, Watermark(1500), Some(0L)).foreach(_ => ())) {
      store =>
        Seq(Axis.Time, Axis.Offset).foreach(axis => kept(store, pageBytes).getMessages(None, None, None, axis))
        kept(store, pageBytes).pending.foreach(_ => ())
        kept(store, pageBytes).step(Iterator.empty, Watermark(100000), Some(1L)).foreach(_ => ())
    }

  private def joined(store: InMemoryShardStore) = new JoinShard(
    JoinDraft(
      Seq(JoinStream("a"), JoinStream("b")),
      hasKeys = true,
      within = Within.Ranges(Map("b" -> JoinRange(TimeSpan(-500), TimeSpan(500)))),
      how = JoinKind.Left,
      lateness = Some(TimeSpan.Zero)).checked,
    store,
    _ => false)

  check("a join")(store =>
    joined(store).step(
      incoming.zipWithIndex.map { case (one, i) => (i % 2, one) }.iterator,
      Watermark(1500),
      Some(0L)).foreach(_ => ())) {
    store =>
      Seq(0, 1).foreach(stream => joined(store).getMessages(stream, None, None))
      joined(store).pending.foreach(_ => ())
  }

  private def applied(store: InMemoryShardStore): AppliedOffsets = {
    val offsets = new AppliedOffsets(store)
    Option(store.header).foreach(bytes => ByteReader.unsealed(bytes, "offsets").decode(offsets.read))
    offsets
  }

  /** With holes of all sizes: in ranges, in pages of bits and in pages of runs. */
  private val holes = (0L until 3000L).map(i => i * i % 7919 * 3) ++ (100000L until 100900L).filter(_ % 50 > 0)

  check("applied offsets")(step(_, holes))(store => step(store, holes.map(_ + 1) ++ Seq(Long.MinValue, Long.MaxValue)))

  private def step(store: InMemoryShardStore, all: Seq[Long]): Unit = {
    val offsets = applied(store)
    all.foreach(offset => offsets(SourcePartition("orders", offset & 1), offset, offset))
    offsets.tell(Seq(Progress(SourcePartition("orders", 0), 5000, 5100)))
    offsets.flush((_, place) => place < 1000)
    offsets.next: Unit
    val out = new ByteWriter
    offsets.write(out)
    store.putHeader(out.sealedResult())
  }

  private def byPolicy(store: InMemoryShardStore) = new PolicyShard(
    PolicyWindowSpec.checked(
      Eviction.Sliding(ByCount(5), ByTime(TimeSpan(1000))),
      PartitionLimits(age = Some(TimeSpan(100000)), messages = Some(30))),
    Sum,
    store)

  private def policies(store: InMemoryShardStore, from: Int, now: Long): Unit = {
    val entries = messages.iterator.map { case (key, time, at) =>
      PolicyEntry(key, time.toDouble, isMarker = false, 1L, key.bytes, Some(at.copy(offset = at.offset + from)))
    }
    val shard = byPolicy(store)
    shard.step(entries, Some(now)).foreach(_ => ())
    shard.keepState(Map(key(1) -> Seq(Array[Byte](1, 2, 3))))
  }

  check("windows by policies")(policies(_, 0, 1500)) { store =>
    byPolicy(store).needsPartitionEviction: Unit
    policies(store, 1000, 4000)
    byPolicy(store).finish().foreach(_ => ())
  }
}

private object DamageSuite {
  private val Kinds = 15
}
