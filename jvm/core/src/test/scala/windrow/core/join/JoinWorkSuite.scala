package windrow.core.join

import org.scalatest.funsuite.AnyFunSuite
import windrow._
import windrow.core.operator.Origin
import windrow.core.state.{CountingStore, Growth, InMemoryShardStore, Key}
import windrow.core.store.Incoming
import windrow.core.time.Watermark

/** Checks that the cost of a message of a join grows with the logarithm of the messages of its key and with its
  * partners, whatever its step contains (SEMANTICS S5, S11).
  */
class JoinWorkSuite extends AnyFunSuite {
  private val key = new Key(Array(1))

  private def spec(within: Within, how: JoinKind, retention: Retention = Retention.NotStated): JoinSpec = JoinDraft(
    Seq(JoinStream("a"), JoinStream("b")),
    hasKeys = true,
    within,
    how,
    Some(TimeSpan(100)),
    retention = retention).checked

  private val range    = Within.Ranges(Map("b" -> JoinRange(TimeSpan(-20), TimeSpan(20))))
  private val ahead    = Within.Ranges(Map("b" -> JoinRange(TimeSpan(20), TimeSpan(60))))
  private val same     = Within.SameWindow(Session(Some(TimeSpan(9))))
  private val tumbling = Within.SameWindow(Tumbling(TimeSpan(40)))
  private val hopping  = Within.SameWindow(Hopping(TimeSpan(40), TimeSpan(20)))

  /** Messages 10 apart, of both streams in turn; in sessions of two. */
  private def message(n: Int): (Int, Incoming) =
    (
      n % 2,
      Incoming(key, Some(n / 2 * 10L), Some(Origin("s", 0, n / 2L)), Array(1, 2, 3)))

  /** An order in which neighbors are far apart. Each number occurs once. */
  private def shuffled(count: Int): Iterator[Int] = Iterator.range(0, count).map(n => (n.toLong * 7919 % count).toInt)

  private def run(spec: JoinSpec, store: CountingStore, messages: Iterator[Int], watermark: Long): Int =
    new JoinShard(spec, store, _ => false).step(messages.map(message), Watermark(watermark), None).size

  private val kinds = for {
    (name, within) <- Seq(
      "a range"       -> range,
      "a range ahead" -> ahead,
      "sessions"      -> same,
      "tumbling"      -> tumbling,
      "hopping"       -> hopping)
    how <- if (within == range) JoinKind.All else Seq(JoinKind.Full, JoinKind.Semi)
  } yield (name, within, how)

  /** Tests both orders of magnitude: the messages of a key arrive in one step, then all are removed. */
  for ((name, within, how) <- kinds) test(s"$how within $name: a step of any size") {
    Growth.check(few = 150) { (count, store) =>
      run(spec(within, how), store, shuffled(count), -1000)
      run(spec(within, how), store, Iterator.empty, Long.MaxValue - 1)
    }
  }

  private def inSteps(spec: JoinSpec)(count: Int, store: CountingStore): Unit =
    Iterator.range(0, count / 20).foreach(step =>
      run(spec, store, shuffled(20).map(_ + step * 20), watermark = step * 100L))

  for ((name, within, how) <- kinds if how == JoinKind.Full)
    test(s"$how within $name: any number of steps, each of which completes the one before") {
      Growth.check(few = 400)(inSteps(spec(within, how)))
    }

  for (how <- Seq(JoinKind.Inner, JoinKind.Left)) test(s"$how of all that retention holds, by count and by time") {
    for (retention <- Seq(Retention(messages = Some(10)), Retention(time = Some(TimeSpan(100)))))
      Growth.check(few = 400)(inSteps(spec(Within.Everything, how, retention)))
  }

  for (how <- Seq(JoinKind.Full, JoinKind.Semi))
    test(s"$how: of a key with more than is kept in memory come the rows of one with less (SEMANTICS S11)") {
      def rows(bytes: Int): (Seq[Seq[Option[Long]]], Long) = {
        val store = new CountingStore
        def shard = new JoinShard(spec(range, how), store, _ => false)
        def of(n: Int) = {
          val (stream, incoming) = message(n)
          (stream, incoming.copy(payload = new Array(bytes)))
        }
        val effects = shard.step(shuffled(2800).map(of), Watermark(-1000), None).toVector
        val read    = store.bytesRead
        val last    = shard.step(Iterator.empty, Watermark(Long.MaxValue - 1), None)
        ((effects ++ last).collect { case JoinEffect.Row(row) => row.messages.map(_.map(_.time)) }, read)
      }
      val ((small, none), (large, some)) = (rows(1), rows(16 << 10))
      assert(small == large && none == 0 && some > 0, s"$some bytes were read again")
    }

  test("rows are made as they are taken (SEMANTICS S11)") {
    var taken = 0
    val messages = Iterator.tabulate(4) { n =>
      taken += 1
      message(n)
    }
    val store   = new CountingStore
    val effects = new JoinShard(spec(range, JoinKind.Full), store, _ => false).step(messages, Watermark(-1000), None)
    assert(taken == 0)
    effects.next()
    assert(taken == 2)
    assert(effects.size == 3 && taken == 4 && store.header != null)
  }

  test("rows that wait for a period are guarded (SEMANTICS S9)") {
    val waiting = spec(range, JoinKind.Inner).draft.copy(early = Every(TimeSpan(1000000))).checked
    def rows(guards: Guards, messages: Int) =
      new JoinShard(waiting, new CountingStore, _ => false, guards = guards)
        .step(Iterator.range(0, messages).map(message), Watermark(-1000), Some(0L)).size
    assert(rows(Guards(maxPendingOutput = 1), 2) == 0)
    assert(intercept[GuardError](rows(Guards(maxPendingOutput = 1), 4)).problem.code == "TOO_MUCH_OUTPUT")
  }

  test("a message with more partners than are found at once goes together with each, in their order") {
    val partners = 200
    val all = (0 until partners).map(n => (0, Incoming(key, Some(n % 7L), Some(Origin("s", 0, n.toLong)), Array(1)))) :+
      ((1, Incoming(key, Some(9L), Some(Origin("s", 0, 0)), Array(2))))
    JoinKind.All.foreach { how =>
      val shard = new JoinShard(spec(range, how), new InMemoryShardStore, _ => false)
      val rows = shard.step(all.iterator, Watermark(Long.MaxValue - 1), None).collect { case JoinEffect.Row(row) =>
        row.messages.flatten.map(_.origin.get.offset)
      }.toVector
      val order = (0 until partners).sortBy(n => (n % 7, n)).map(_.toLong).toVector
      how match {
        case JoinKind.Anti => assert(rows.isEmpty)
        case JoinKind.Semi => assert(rows == order.map(Vector(_)))
        case _             => assert(rows == order.map(Vector(_, 0L)), how)
      }
    }
  }
}
