package windrow.core.operator

import org.scalatest.funsuite.AnyFunSuite
import scala.collection.immutable.TreeMap
import scala.collection.mutable
import scala.util.Random
import windrow._
import windrow.core.Full
import windrow.core.aggregate.{Aggregation, OrderedAggregation, ValueCarrier}
import windrow.core.shard.Shard
import windrow.core.state._
import windrow.core.time.Watermark

/** Compares the values that windows carry from earlier messages with all accepted messages, after every step
  * (SEMANTICS R123).
  */
class CarriedValuesSuite extends AnyFunSuite {
  import CarriedValuesSuite._

  private val count = if (Full.isFull) 20000 else 300

  private def drawn(seed: Int): Stream = {
    val random           = new Random(seed)
    def once(outOf: Int) = random.nextInt(outOf) == 0
    val size             = 1L + random.nextInt(20)
    val window =
      if (once(2)) Tumbling(TimeSpan(size), TimeSpan(random.nextInt(5) % size))
      else Hopping(TimeSpan(size), TimeSpan(1L + random.nextInt(size.toInt)))
    val spec = WindowOperatorDraft(
      window,
      Some(TimeSpan(if (once(4)) 0 else random.nextInt(60))),
      early = Seq(Never, Never, EachBatch, EachMessage)(random.nextInt(4)),
      late = Seq(EachBatch, EachBatch, EachMessage, Never, Every(2))(random.nextInt(5)),
      accumulation = Some(Seq(Accumulating, AccumulatingAndRetracting)(random.nextInt(2))),
      skipUnchanged = once(3),
      fillGaps = if (once(3)) TimeSpan.Endless else TimeSpan.Zero).checked
    var watermark = -20L
    var present   = 0L
    val steps = Seq.fill(2 + random.nextInt(8)) {
      present += random.nextInt(if (once(4)) 60 else 12)
      val rows = Seq.fill(random.nextInt(5)) {
        val late = if (once(2)) random.nextInt(50) else 0
        Row(random.nextInt(2), present + random.nextInt(10) - late, random.nextInt(4).toLong - 1)
      }
      watermark = math.max(watermark, present - random.nextInt(10))
      val sorts = spec.late != EachBatch || spec.early == EachMessage || spec.fillsGaps
      (if (sorts) rows.sortBy(row => (row.time, row.value)) else rows, watermark)
    }
    Stream(spec, if (once(2)) Long.MaxValue else random.nextInt(40).toLong, isOrdered = once(3), steps)
  }

  /** The value of a window of a key over accepted rows. */
  private def expected(stream: Stream, rows: Seq[Row], start: Long): String = {
    val valued                   = rows.filter(_.value >= 0)
    def greatest(some: Seq[Row]) = some.groupMapReduce(_.time)(_.value)(math.max)
    val before = greatest(valued.filter(_.time < start)).maxByOption(_._1).filter { case (time, _) =>
      start - time <= stream.limit
    }
    val inside = rows.filter(stream.contains(start, _))
    shown(before.map { case (_, value) => (start, value) }, inside.size, greatest(inside.filter(_.value >= 0)))
  }

  private def check(stream: Stream): Unit = {
    val store    = new InMemoryShardStore
    val accepted = mutable.Map.empty[Int, Seq[Row]].withDefaultValue(Nil)
    val first    = mutable.Map.empty[Int, Long].withDefaultValue(Long.MaxValue)
    val valid    = mutable.Map.empty[(Int, Long), String]
    val right    = mutable.Map.empty[(Int, Long), String]
    val ofEach   = Seq(EachBatch, EachMessage).contains(stream.spec.late)
    var before   = Long.MinValue
    stream.steps.foreach { case (rows, watermark) =>
      val effects = if (stream.isOrdered) {
        val ordered = new OrderedAggregation(new Steps(stream.limit))
        run(stream, store, ordered, rows, watermark)(row => ordered.lift(order(row), lifted(row)))
      } else run(stream, store, new Steps(stream.limit), rows, watermark)(lifted)
      val rejected = effects.collect { case (key, start, None) => (key, start) }
      val added    = rows.diff(rejected.map { case (_, place) => rows(place.toInt) }.toSeq)
      val inStep   = added.groupBy(_.key)
      added.foreach { row =>
        accepted(row.key) = accepted(row.key) :+ row
        val open = stream.windows(row.time, row.time).filter(start =>
          stream.contains(start, row) && (before == Long.MinValue || !stream.closed(start, before)))
        first(row.key) = math.min(first(row.key), open.min)
      }
      effects.collect { case (key, start, Some(pane)) => (key, start, pane) }.foreach { case (key, start, pane) =>
        if (pane.isRetraction) assert(valid.remove((key, start)).contains(pane.value))
        else {
          val old = valid.put((key, start), pane.value)
          if (pane.timing == Timing.Late && stream.spec.accumulation == Accumulating && pane.index > 0)
            assert(
              !old.contains(pane.value) || (!stream.spec.skipUnchanged &&
                inStep.getOrElse(key, Nil).exists(stream.contains(start, _))) || !ofEach,
              s"the pane of $key from $start does not change")
        }
      }
      for {
        key   <- accepted.keys
        start <- stream.windows(accepted(key).map(_.time).min, watermark)
        if stream.end(start) <= watermark && (before == Long.MinValue || !stream.closed(start, before))
        if accepted(key).exists(stream.contains(start, _)) || (stream.spec.fillsGaps && start > first(key))
      } right((key, start)) = expected(stream, accepted(key), start)
      def due(window: (Int, Long)) =
        stream.end(window._2) <= watermark && (ofEach || stream.closed(window._2, watermark))
      assert(valid.toMap.filter(one => due(one._1)) == right.toMap.filter(one => due(one._1)), s"at $watermark")
      before = watermark
    }
  }

  /** The panes and the places of rejected rows in the step, by key. */
  private def run[B](
      stream: Stream,
      store: ShardStore,
      aggregation: Aggregation[B, String],
      rows: Seq[Row],
      watermark: Long)(lift: Row => B): Seq[(Int, Long, Option[Pane[Key, String]])] = {
    val entries = rows.iterator.zipWithIndex.map { case (row, place) =>
      Entry(new Key(Array(row.key.toByte)), Some(row.time), 0, 1, lift(row), Array(place.toByte), None)
    }
    new Shard(stream.spec, aggregation, store).step(entries, Watermark(watermark), None).map {
      case Effect.Fire(pane)                => (pane.key.bytes.head.toInt, pane.start, Some(pane))
      case Effect.Reject(entry, _, _, _, _) => (entry.key.bytes.head.toInt, entry.raw.head.toLong, None)
    }.toVector
  }

  private def order(row: Row): Array[Byte] = java.nio.ByteBuffer.allocate(9).put(1.toByte).putLong(row.time).array

  private def lifted(row: Row): Begun =
    Begun(None, 1, if (row.value < 0) TreeMap.empty else TreeMap(row.time -> row.value))

  test(s"R123: in $count random streams, windows have the last value before them after every step") {
    (1 to count).foreach { seed =>
      val stream = drawn(seed)
      try check(stream)
      catch {
        case wrong: Throwable =>
          throw new AssertionError(s"seed $seed: ${stream.spec}, ${stream.limit}, ${stream.steps}", wrong)
      }
    }
  }

  test("R123: a changed value counts as one late row, but not beside one of the window itself") {
    val spec = WindowOperatorDraft(
      Tumbling(TimeSpan(10)),
      Some(TimeSpan(100)),
      late = Every(2),
      accumulation = Some(Accumulating)).checked
    val store = new InMemoryShardStore
    def step(watermark: Long, rows: Row*): Seq[(Long, String)] =
      run(Stream(spec, Long.MaxValue, isOrdered = false, Nil), store, new Steps(Long.MaxValue), rows, watermark)(lifted)
        .collect { case (_, start, Some(pane)) => (start, pane.value) }
    assert(step(30, Row(1, 5, 1), Row(1, 12, 1)).map(_._1) == Seq(0, 10))
    assert(step(30, Row(1, 7, 2), Row(1, 15, 3)) == Nil)
    assert(step(30, Row(1, 8, 4)).toMap == Map(
      0L  -> shown(None, 3, Map(5L -> 1L, 7L -> 2L, 8L -> 4L)),
      10L -> shown(Some((10L, 4L)), 2, Map(12L -> 1L, 15L -> 3L))))
  }

  test("R123: a limited value is removed with the last window that can carry it") {
    val spec = WindowOperatorDraft(Tumbling(TimeSpan(10)), Some(TimeSpan(5)), accumulation = Some(Accumulating)).checked
    for ((limit, keys) <- Seq(Long.MaxValue -> 1L, 30L -> 0L)) {
      val store = new InMemoryShardStore
      def step(rows: Seq[Row], watermark: Long): Unit =
        run(Stream(spec, limit, isOrdered = false, Nil), store, new Steps(limit), rows, watermark)(lifted): Unit
      step(Seq(Row(1, 5, 2)), 20)
      assert(store.space("earlier").get(0) != null)
      step(Nil, 54)
      assert(store.space("earlier").get(0) != null)
      step(Nil, 55)
      assert((store.space("earlier").get(0) != null) == (keys > 0))
    }
  }
}

private object CarriedValuesSuite {

  final case class Row(key: Int, time: Long, value: Long)

  final case class Stream(
      spec: WindowOperatorSpec,
      limit: Long,
      isOrdered: Boolean,
      steps: Seq[(Seq[Row], Long)]) {
    private val (size, every, origin) = spec.window match {
      case fixed: FixedWindows => (fixed.size.micros, fixed.step.micros, fixed.startTime.micros)
      case other               => throw new IllegalStateException(other.toString)
    }

    def windows(from: Long, to: Long): Seq[Long] = {
      val first = Math.floorDiv(from - size - origin, every) * every + origin
      Iterator.iterate(first)(_ + every).takeWhile(_ <= to).toSeq
    }
    def end(start: Long): Long                   = start + size
    def closed(start: Long, at: Long): Boolean   = at >= end(start) + spec.lateness.micros
    def contains(start: Long, row: Row): Boolean = start <= row.time && row.time < end(start)
  }

  /** The value with which a window begins, the number of its messages, and their greatest values by time. */
  final case class Begun(carried: Option[(Long, Long)], messages: Int, values: TreeMap[Long, Long])

  def shown(carried: Option[(Long, Long)], messages: Int, values: Map[Long, Long]): String =
    s"$carried $messages ${values.toSeq.sorted}"

  final class Steps(val most: Long) extends Aggregation[Begun, String] {
    val zero: Begun                  = Begun(None, 0, TreeMap.empty)
    def copy(buffer: Begun): Begun   = buffer
    def lower(buffer: Begun): String = shown(buffer.carried, buffer.messages, buffer.values)
    override def isExact: Boolean    = true

    def combine(left: Begun, right: Begun): Begun = Begun(
      left.carried.orElse(right.carried),
      left.messages + right.messages,
      right.values.foldLeft(left.values) { case (all, (time, value)) =>
        all.updated(time, all.get(time).fold(value)(math.max(_, value)))
      })

    def write(buffer: Begun, out: ByteWriter): Unit = {
      val all = buffer.carried.toSeq ++ buffer.values
      out.count(buffer.carried.size.toLong)
      out.count(buffer.messages.toLong)
      out.count(all.size.toLong)
      all.foreach { case (time, value) => out.long(time); out.long(value) }
    }

    def read(in: ByteReader): Begun = {
      val (carried, messages) = (in.count(), in.count().toInt)
      val all                 = Seq.fill(in.size())(in.long() -> in.long())
      Begun(Option.when(carried == 1)(all.head), messages, TreeMap.from(all.drop(carried.toInt)))
    }

    private[windrow] override val carrier: Option[ValueCarrier[Begun]] = Some(new ValueCarrier[Begun] {
      def limit: Long                        = most
      def last(buffer: Begun): Option[Begun] = buffer.values.lastOption.map(one => Begun(None, 0, TreeMap(one)))
      def isWhole(last: Begun): Boolean      = last.values.nonEmpty
      def at(last: Begun, start: Long): Option[Begun] = last.values.lastOption.collect {
        case (time, value) if most == Long.MaxValue || start - time <= most =>
          Begun(Some((start, value)), 0, TreeMap.empty)
      }
    })
  }
}
