package windrow.core.state

import windrow._
import windrow.core.aggregate.{Aggregation, GapFiller, OrderedAggregation, OrderedBuffer, ValueCarrier}
import windrow.core.dedup.{DedupShard, ReplacedDedup}
import windrow.core.fullstate.FullStateShard
import windrow.core.join.JoinShards
import windrow.core.offsets.{AppliedOffsets, Progress}
import windrow.core.operator._
import windrow.core.pattern.{MatchShard, RowConditions}
import windrow.core.policy.{PolicyEntry, PolicyShard}
import windrow.core.shard.Shard
import windrow.core.store.{Incoming, StoredMessage}
import windrow.core.time.{Axis, Watermark}
import windrow.operators.{OperatorStates, Sum}

/** A state of each form that Windrow writes or has ever written. */
object StoredStates {
  def all: Seq[StoredState] = shards(Few, cost = 10) ++ shards(Many, cost = 1000) ++ offsets ++
    PieceStates.all ++ OperatorStates.all

  /** State of few messages is read in microseconds. */
  private val Few  = 5
  private val Many = 60

  private def shards(messages: Int, cost: Int): Seq[StoredState] = {
    val of = new Shards(messages, cost)
    of.aggregates ++ of.fullState ++ of.joins :+ of.policies :+ of.deduplication(None) :+
      of.deduplication(Some(ReplacedDedup(0L, untilWatermark = true))) :+ of.lastRows(None) :+
      of.lastRows(Some((a, b) => java.util.Arrays.compareUnsigned(b, a))) :+ of.matches
  }

  private val span = TimeSpan(5000)

  private def key(of: Int): Key = new Key(BigInt(of).toByteArray)

  private val words = new SpecFingerprint(Seq(FingerprintField("windows", "of some kind", least = Some(7))))

  private final class Shards(count: Int, cost: Int) {
    private val messages = (0 until count).map(i =>
      (key(i % (count / 8 + 2)), 1000L + i * 37 % 900, Origin("orders", i % 3L, i.toLong)))

    private def state(name: String, write: ShardStore => Unit)(look: ShardStore => Any) =
      StoredState(s"$name of $count messages", cost, write)(look)

    private def entries[B](window: WindowKind, lift: Long => B): Iterator[Entry[B]] =
      messages.iterator.map { case (key, time, from) =>
        val row  = BigInt(from.offset).toByteArray
        val pane = IncomingPane(0, 5000, Timing.Early, isRetraction = false, new Key(row))
        Entry(
          key,
          Some(time),
          window.rowValue.of(Some(100L)).get,
          count = 1,
          buffer = lift(from.offset),
          raw = row,
          Some(from),
          Some(pane))
      }

    private def aggregated[B](draft: WindowOperatorDraft, aggregation: Aggregation[B, Long], lift: Long => B) = {
      val spec                     = draft.checked
      def shard(store: ShardStore) = new Shard(spec, aggregation, store, words)
      val name = draft.window.toString + (if (draft.fillsGaps) " with gaps" else "") +
        (if (draft.closeOn == CloseOn.Watermark) "" else " by messages") +
        (aggregation match {
          case Filled  => " with values"
          case Carried => " that carry values"
          case Sum     => ""
          case _       => " in order"
        })
      state(name, store => shard(store).step(entries(draft.window, lift), Watermark(1500), Some(0L)).foreach(_ => ()))(
        store => {
          shard(store).pending.take(1000).foreach(_ => ())
          if (draft.gapValues.isDefined) shard(store).step(Iterator.empty, Watermark(2000), Some(1L)).foreach(_ => ())
          if (aggregation.carrier.isDefined) {
            val opened = shard(store)
            opened.openWindows.foreach(opened.value)
          }
        })
    }

    private def draft(window: WindowKind) = WindowOperatorDraft(
      window,
      lateness = Some(TimeSpan(100000)),
      early = AnyOf(Seq(EachBatch, EveryPeriod(TimeSpan(1000000)))),
      late = Every(3),
      accumulation = Some(Accumulating))

    def aggregates: Seq[StoredState] = {
      val plain = Seq(
        Tumbling(span),
        Hopping(span, TimeSpan(500)),
        Session(TimeSpan(100)),
        Session(TimeSpan(100), maxLength = Some(TimeSpan(300))),
        Sliding(span, TimeSpan(1)),
        Over.Rows(3),
        Count(30),
        OffsetRange(30),
        OffsetSession(30),
        Global,
        Inherit(),
        NamedWindows(Seq(
          "minute" -> Tumbling(span),
          "hop"    -> Hopping(span, TimeSpan(500)),
          "visit" -> Session(
            TimeSpan(100))))).map(draft)
      val more = Seq(
        draft(Tumbling(span)).copy(fillGaps = TimeSpan.Endless),
        draft(Tumbling(span)).copy(closeOn = CloseOn.NextRow),
        draft(Sliding(span, TimeSpan(1))).copy(closeOn = CloseOn.NextRow))
      val ordered = new OrderedAggregation(Sum, pieceBytes = 40)
      val filled = draft(Tumbling(TimeSpan(50))).copy(
        lateness = Some(TimeSpan(300)),
        accumulation = Some(AccumulatingAndRetracting),
        gapValues = Some(GapValues.every(GapMethod.Previous, Some(TimeSpan(100000)))))
      val carried = draft(Tumbling(TimeSpan(50))).copy(lateness = Some(TimeSpan(450)))
      (plain ++ more).map(aggregated(_, Sum, _ => 1L)) ++
        Seq(aggregated(filled, Filled, _ => 1L), aggregated(carried, Carried, _ => 1L)) ++
        Seq(
          Tumbling(span),
          Session(TimeSpan(100)),
          Session(TimeSpan(100), maxLength = Some(TimeSpan(300)))).map(window =>
          aggregated[OrderedBuffer[Long]](draft(window), ordered, n => ordered.lift(BigInt(n).toByteArray, n)))
    }

    private val incoming = messages.map { case (key, time, from) => Incoming(key, Some(time), Some(from), key.bytes) }

    def fullState: Seq[StoredState] =
      for {
        (window, pages) <- Seq(
          Tumbling(TimeSpan(50)) -> 4096,
          Tumbling(TimeSpan(50)) -> 40,
          OffsetRange(2)         -> 40,
          Session(TimeSpan(20))  -> 40,
          Over.Rows(2)           -> 40)
      } yield {
        val spec = FullStateDraft(
          window,
          lateness = Some(TimeSpan.Zero),
          early = Never,
          late = Never,
          retention = Retention(time = Some(TimeSpan(100000)))).checked
        def kept(store: ShardStore) = new FullStateShard(spec, store, pageBytes = pages)
        state(
          s"full state of $window in pages of $pages bytes",
          store =>
            kept(store).step(incoming.sorted(Incoming.order(window)).iterator, Watermark(1500), Some(0L)).foreach(_ =>
              ())) { store =>
          Seq(Axis.Time, Axis.Offset).foreach(axis => kept(store).getMessages(None, None, None, axis))
          kept(store).pending.foreach(_ => ())
          kept(store).step(Iterator.empty, Watermark(100000), Some(1L)).foreach(_ => ())
        }
      }

    def deduplication(replaced: Option[ReplacedDedup]): StoredState = {
      val spec                    = DedupDraft(Some(span), lateness = Some(TimeSpan(100000))).check.toOption.get
      def kept(store: ShardStore) = new DedupShard(spec, store, replaced = replaced)
      def step(store: ShardStore, rows: Seq[Incoming]): Unit =
        kept(store).step(rows.sorted(Incoming.order(spec.windows.window)).iterator, Watermark(1500), Some(0L))
          .foreach(_ => ())
      state(
        s"a deduplication${replaced.fold("")(_ => " of Spark's")}",
        step(_, incoming))(step(_, incoming.map(_.copy(origin = None))))
    }

    def lastRows(order: Option[Ordering[Array[Byte]]]): StoredState = {
      val spec =
        DedupDraft(Some(TimeSpan(20)), lateness = Some(TimeSpan(500)), keep = Keep.Last).check.toOption.get
      def step(store: ShardStore, rows: Seq[Incoming], watermark: Watermark): Unit =
        new DedupShard(spec, store, order = order).step(
          rows.sorted(Incoming.order(spec.windows.window)).iterator,
          watermark,
          Some(0L)).foreach(_ => ())
      state(
        s"a deduplication that keeps last rows${order.fold("")(_ => " of another order")}",
        step(_, incoming, Watermark(1500))) { store =>
        step(store, incoming.map(_.copy(origin = None)), Watermark(1500))
        step(store, Nil, Watermark(100000))
      }
    }

    def matches: StoredState = {
      val spec = MatchDraft("A+ B", within = Some(TimeSpan(400)), lateness = Some(TimeSpan(700))).check.toOption.get
      def step(store: ShardStore, rows: Seq[Incoming], watermark: Watermark): Unit =
        new MatchShard(spec, store, EvenTimes)
          .step(rows.iterator, watermark, Some(0L)).foreach(_ => ())
      state("matches of a pattern", step(_, incoming, Watermark(1800))) { store =>
        step(store, incoming.map(_.copy(origin = None)), Watermark(1900))
        step(store, Nil, Watermark(100000))
      }
    }

    private def join(within: Within, how: JoinKind, early: PaneTrigger) = {
      val spec = JoinDraft(
        Seq(JoinStream("a"), JoinStream("b")),
        hasKeys = true,
        within = within,
        how = how,
        lateness = Some(TimeSpan.Zero),
        early = early).checked
      def joined(store: ShardStore) = JoinShards(spec, store, _ => false)
      state(
        s"a join, $within, $how, $early",
        store =>
          joined(store).step(
            incoming.zipWithIndex.map { case (one, i) => (i % 2, one) }.iterator,
            Watermark(1500),
            Some(0L)).foreach(_ => ())) { store =>
        Seq(0, 1).foreach(stream => joined(store).getMessages(stream, None, None))
        joined(store).pending.foreach(_ => ())
      }
    }

    def joins: Seq[StoredState] = {
      val near = Within.Ranges(Map("b" -> JoinRange(TimeSpan(-500), TimeSpan(500))))
      Seq(
        join(near, JoinKind.Left, EachMessage),
        join(near, JoinKind.Inner, EveryPeriod(TimeSpan(1000000))),
        join(Within.SameWindow(Session(TimeSpan(100))), JoinKind.Left, EachMessage),
        join(Within.AsOf(AsofDirection.Nearest, Some(TimeSpan(500))), JoinKind.Left, Never))
    }

    private val rules = PolicyWindowSpec.checked(
      Eviction.Sliding(ByCount(5), ByTime(TimeSpan(1000))),
      KeyLimits(idle = Some(TimeSpan(100000)), maxRows = Some(30)))

    private def byPolicy(store: ShardStore) = new PolicyShard(rules, Sum, store)

    private def happen(store: ShardStore, from: Int, now: Long): Unit = {
      val entries = messages.iterator.map { case (key, time, at) =>
        PolicyEntry(key, time.toDouble, isMarker = false, 1L, key.bytes, Some(at.copy(offset = at.offset + from)))
      }
      val shard = byPolicy(store)
      shard.step(entries, Some(now)).foreach(_ => ())
      shard.keepState(Map(key(1) -> Seq(Array[Byte](1, 2, 3))))
    }

    def policies: StoredState = state("windows by policies", happen(_, 0, 1500)) { store =>
      byPolicy(store).needsPartitionEviction: Unit
      happen(store, 1000, 4000)
      byPolicy(store).finish().foreach(_ => ())
    }
  }

  // ---- state for the detection of duplicates

  private class OfSum extends Aggregation[Long, Long] {
    def zero: Long                                = Sum.zero
    def combine(left: Long, right: Long): Long    = Sum.combine(left, right)
    def copy(buffer: Long): Long                  = Sum.copy(buffer)
    def lower(buffer: Long): Long                 = Sum.lower(buffer)
    def write(value: Long, out: ByteWriter): Unit = Sum.write(value, out)
    def read(in: ByteReader): Long                = Sum.read(in)
  }

  /** Windows begin with the sum of the last messages before them. */
  private object Carried extends OfSum {
    private[windrow] override val carrier: Option[ValueCarrier[Long]] = Some(new ValueCarrier[Long] {
      def limit: Long                               = 1000000
      def last(buffer: Long): Option[Long]          = Some(buffer)
      def isWhole(last: Long): Boolean              = true
      def at(last: Long, start: Long): Option[Long] = Some(last)
    })
  }

  /** Windows without messages show the sum of the last window, less 1. */
  private object Filled extends OfSum {
    private[windrow] override val filler: Option[GapFiller[Long]] = Some(new GapFiller[Long] {
      def alone(own: Long): Long                                          = own
      def after(own: Long, last: Long): Long                              = last - 1
      def between(own: Long, last: Long, next: Long, share: Double): Long = own
      def write(value: Long, out: ByteWriter): Unit                       = out.bytes(BigInt(value).toByteArray)
      def read(in: ByteReader): Long                                      = BigInt(in.bytes()).toLong
    })
  }

  private def offsets: Seq[StoredState] = {
    val many = (0L until 3000L).map(i => i * i % 7919 * 3) ++ (100000L until 100900L).filter(_ % 50 > 0)
    val few  = (0L until 20L).map(_ * 3)
    for ((holes, cost) <- Seq(few -> 10, many -> 1000))
      yield StoredState(s"applied offsets with ${holes.size} holes", cost, see(_, holes))(
        see(_, holes.map(_ + 1) ++ Seq(Long.MinValue, Long.MaxValue)))
  }

  private def see(store: ShardStore, all: Seq[Long]): Unit = {
    val offsets = new AppliedOffsets(store)
    Option(store.header).foreach(bytes => ByteReader.unsealed(bytes, "offsets").decode(offsets.read))
    all.foreach(offset => offsets(SourcePartition("orders", offset & 1), offset, offset))
    offsets.announce(Seq(Progress(SourcePartition("orders", 0), 5000, 5100)))
    offsets.flush((_, place) => place < 1000)
    offsets.next: Unit
    val out = new ByteWriter
    offsets.write(out)
    store.putHeader(out.sealedResult())
  }

  /** A row is the first name at an even time or without a previous row, and otherwise the second. */
  private object EvenTimes extends RowConditions {
    def readsPrevious: Boolean = true
    def classify(previous: StoredMessage, row: StoredMessage): Long =
      if (previous == null || row.time % 2 == 0) 1L else 2L
  }
}
