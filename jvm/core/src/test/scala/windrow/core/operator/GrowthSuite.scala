package windrow.core.operator

import java.nio.ByteBuffer
import org.scalatest.funsuite.AnyFunSuite
import windrow._
import windrow.core.Full
import windrow.core.aggregate.{Aggregation, OrderedAggregation}
import windrow.core.shard.Shard
import windrow.core.state._
import windrow.core.time.Watermark

/** Checks that the cost of a message does not grow with the messages of its key, window or session (SEMANTICS S5, S10).
  */
class GrowthSuite extends AnyFunSuite {
  import GrowthSuite._

  private val steps = 20

  /** Measures the cost of a step of one message, among a number of messages of its key, while nothing fires. */
  private def cost[B](spec: WindowOperatorSpec, messages: Int, kind: Kind[B], timeOf: Int => Long): Cost = {
    val store    = new CountingStore
    val counting = new Counting
    def step(some: Seq[Int]): Unit = {
      val entries = some.iterator.map(n =>
        entry(timeOf(n), n.toLong, kind.lift(order(timeOf(n), n.toLong)), valueOf(spec.window)))
      assert(new Shard(spec, kind.of(counting), store).step(entries, Watermark(-1), None).isEmpty)
    }
    (0 until messages).grouped(500).foreach(step)
    val (combined, bytes) = (counting.combined, store.bytesRead + store.bytesWritten)
    (messages until messages + steps).foreach(n => step(Seq(n)))
    Cost((counting.combined - combined) / steps, (store.bytesRead + store.bytesWritten - bytes) / steps)
  }

  /** Compares the costs. A step may read and write a few segments and their directory, about two bytes for each
    * message. Eight times that or more would be the content of the window.
    */
  private def check[B](name: String, spec: WindowOperatorSpec, kind: Kind[B], timeOf: Int => Long): Unit = {
    val (one, other) = (cost(spec, few, kind, timeOf), cost(spec, many, kind, timeOf))
    assert(
      other.combinations <= 2 * one.combinations + 10 && other.bytes <= 2.5 * one.bytes + 2.1 * many,
      s"$name: $one, among many $other")
  }

  private val orders: Seq[(String, Int => Long)] = Seq(
    "in order"    -> (_.toLong),
    "in disorder" -> (n => (n.toLong * 7919) % 4001))

  for ((window, complete) <- Windows; (kind, name) <- Seq[(Kind[_], String)](Merged -> "merged", InOrder -> "ordered"))
    test(s"$window by $complete, $name: a message costs the same among many of its key as among few") {
      orders.foreach { case (order, timeOf) => check(order, draft(window, complete).checked, kind, timeOf) }
    }

  for (order <- Seq("in order", "in disorder"); window <- Seq(Session(TimeSpan(1000)), Inherit()))
    test(s"$window of a key, $order: a message costs the same among many that are open as among few") {
      check(order, draft(window, CloseOn.Watermark).checked, Merged, n => 5000L * orders.toMap.apply(order)(n))
    }

  test("a step looks only at the sessions that it touches and at those that are due") {
    val store = new CountingStore
    def step(times: Seq[Long], to: Long) = new Shard(
      draft(Session(TimeSpan(1000)), CloseOn.Watermark).checked,
      new Counting,
      store).step(times.iterator.map(time => entry(time, time, 1L)), Watermark(to), None).toVector
    step((0L until 4000).map(_ * 5000), 0)
    store.bytesRead = 0
    assert(step(Seq(10000001), 5000).size == 1)
    assert(step(Nil, 5001 + 5000).size == 1)
    assert(store.bytesRead < 60000, "of some 200,000")
  }

  for ((window, complete) <- Windows)
    test(s"$window by $complete: what messages leave apart goes with their windows, and are read when these fire") {
      val store    = new CountingStore
      val counting = new Counting
      def shard    = new Shard(draft(window, complete).checked, InOrder.of(counting), store)
      (0 until 4000).grouped(500).foreach { some =>
        val entries = some.iterator.map(n =>
          entry(n.toLong, n.toLong, InOrder.lift(order(n.toLong, n.toLong)), valueOf(window)))
        shard.step(entries, Watermark(-1), None).foreach(_ => ())
      }
      assert(store.values(Pieces.Space) > 0 == KeepsApart(window))
      store.bytesRead = 0
      val panes = shard.step(Iterator.empty, Watermark.End, None).size
      assert(panes > 0 || window == Global)
      assert(store.bytesRead < 4000 * 400, s"${store.bytesRead} bytes read for $panes panes")
      assert(store.values(Pieces.Space) == 0)
    }

  test("DISCARDING: unsent rows are stored separately and are removed with their pane") {
    val spec = draft(Tumbling(TimeSpan(5000)), CloseOn.Watermark).copy(
      early = EveryPeriod(TimeSpan(1000)),
      accumulation = Some(Discarding)).checked
    check("unsent", spec, InOrder, _.toLong)
    val store = new CountingStore
    def shard = new Shard(spec, InOrder.of(new Counting), store)
    def step(from: Int, now: Long) =
      shard.step(
        (from until from + 1000).iterator.map(n => entry(n.toLong, n.toLong, InOrder.lift(order(n.toLong, n.toLong)))),
        Watermark(-1),
        Some(now)).toVector
    step(0, 1)
    val (unsent, fired) = (store.values(Pieces.Space), step(1000, 2000))
    assert(fired.size == 1 && store.values(Pieces.Space) <= unsent)
  }

  test("S9: a window of more messages than its aggregate may hold stops its query, until the limit is higher") {
    val store = new InMemoryShardStore
    def step(entries: Iterator[Entry[OrderedOf]], to: Long, most: Long) = new Shard(
      draft(Tumbling(TimeSpan(5000)), CloseOn.Watermark).checked,
      InOrder.of(new Counting),
      store,
      guards = Guards(maxMessagesPerWindow = most)).step(entries, Watermark(to), None).toVector
    step((0 until 100).iterator.map(n => entry(n.toLong, n.toLong, InOrder.lift(order(n.toLong, n.toLong)))), 0, 50)
    val stopped = intercept[GuardError](step(Iterator.empty, 5000, 99))
    assert(stopped.getMessage.startsWith("[TOO_MANY_MESSAGES] the window from 0 to 5000 of Tumbling('5 milliseconds')"))
    assert(step(Iterator.empty, 5000, 100).size == 1)
  }
}

private object GrowthSuite {
  type OrderedOf = windrow.core.aggregate.OrderedBuffer[Long]

  val (few, many) = if (Full.isFull) (2000, 64000) else (500, 4000)

  /** A size such that one window contains all messages. */
  private val Size = many + many / 4L

  final case class Cost(combinations: Int, bytes: Long)

  final class Counting extends Aggregation[Long, Long] {
    var combined                                   = 0
    def zero: Long                                 = 0
    def copy(buffer: Long): Long                   = buffer
    def lower(buffer: Long): Long                  = buffer
    def write(buffer: Long, out: ByteWriter): Unit = out.long(buffer)
    def read(in: ByteReader): Long                 = in.long()
    def combine(left: Long, right: Long): Long     = { combined += 1; left + right }
  }

  /** A class of aggregates. */
  trait Kind[B] {
    def of(counting: Counting): Aggregation[B, Long]
    def lift(order: Array[Byte]): B
  }

  object Merged extends Kind[Long] {
    def of(counting: Counting): Aggregation[Long, Long] = counting
    def lift(order: Array[Byte]): Long                  = 1L
  }

  object InOrder extends Kind[OrderedOf] {
    def of(counting: Counting): OrderedAggregation[Long, Long] = new OrderedAggregation(counting)
    def lift(order: Array[Byte]): OrderedOf                    = of(new Counting).lift(order, 1L)
  }

  val Windows: Seq[(WindowKind, CloseOn)] = Seq(
    Tumbling(TimeSpan(Size)),
    Hopping(TimeSpan(Size), TimeSpan(Size / 10)),
    Session(TimeSpan(1000)),
    Sliding(TimeSpan(Size), TimeSpan(Size)),
    Over.Rows(3),
    Count(100000),
    OffsetRange(100000),
    OffsetSession(100000),
    Global).map((_, CloseOn.Watermark)) ++
    Seq(Tumbling(TimeSpan(Size)), OffsetRange(100000)).map((_, CloseOn.NextRow))

  /** Whether windows store messages in pieces. Windows formed from messages store them next to each other anyway. */
  def KeepsApart(window: WindowKind): Boolean = window match {
    case _: Sliding | _: Over => false
    case _                    => true
  }

  def draft(window: WindowKind, closeOn: CloseOn): WindowOperatorDraft = WindowOperatorDraft(
    window,
    lateness = Some(TimeSpan(20 * Size)),
    early = if (window == Global) Every(100000) else Never,
    accumulation = Some(Accumulating),
    closeOn = closeOn)

  def order(time: Long, offset: Long): Array[Byte] = ByteBuffer.allocate(16).putLong(time).putLong(offset).array

  def valueOf(window: WindowKind): Long = window.rowValue.of(Some(1000L)).get

  def entry[B](time: Long, offset: Long, buffer: B, value: Long = 1000): Entry[B] = Entry(
    new Key(Array[Byte](1)),
    Some(time),
    value,
    count = 1,
    buffer,
    raw = BigInt(offset).toByteArray,
    Some(Origin("messages", 0, offset)),
    Some(IncomingPane(time, time + 1000, Timing.Early, isRetraction = false, new Key(BigInt(offset).toByteArray))))
}
