package windrow.core.policy

import java.nio.ByteBuffer
import org.scalatest.funsuite.AnyFunSuite
import windrow._
import windrow.core.operator.Origin
import windrow.core.state._
import windrow.core.time.Watermark
import windrow.operators.Sum

/** Tests the policy table of SEMANTICS P1 to P7, row by row. Every case also runs with its state written and read
  * between any two steps.
  */
class PolicyShardSpec extends AnyFunSuite {
  import PolicyShardSpec._

  private val count   = ByCount(_: Long)
  private val micros  = (n: Long) => ByTime(TimeSpan(n))
  private val delta   = ByDelta("value", _: Double)
  private val sliding = Eviction.Sliding(_: By, _: By)

  private def check(name: String, eviction: Eviction, limits: KeyLimits = KeyLimits.NotStated)(
      steps: (Step, String)*): Unit =
    for (restarts <- Seq(false, true)) test(s"$name${if (restarts) ", restarted before each step" else ""}") {
      val run = new Run(PolicyWindowSpec.check(eviction, limits).toOption.get, restarts)
      steps.foreach { case (step, events) => assert(run(step) === events, s"in $step") }
    }

  check("tumbling count", Eviction.Tumbling(count(3)))(
    Step(0, "a" -> 1, "b" -> 7)           -> "a+1 b+7",
    Step(0, "a" -> 2, "a" -> 3, "a" -> 4) -> "a+2 a+3 a-1,2,3 a=6#0 a+4",
    Step.End                              -> "a.4 b.7")

  check("tumbling delta is measured from the oldest; exactly so far away stays", Eviction.Tumbling(delta(4)))(
    Step(0, "a" -> 9, "a" -> 2, "a" -> 13) -> "a+9 a+2 a+13",
    Step(0, "a" -> 14)                     -> "a-9,2,13 a=24#0 a+14")

  check("tumbling time: also empty, overdue once, then from there", Eviction.Tumbling(micros(30)))(
    Step(0, "a" -> 1) -> "a+1",
    Step(29)          -> "",
    Step(30)          -> "a-1 a=1#0",
    Step(60)          -> "a- a=0#1",
    Step(135)         -> "a- a=0#2",
    Step(164)         -> "",
    Step(165)         -> "a- a=0#3")

  test("a shard of which nothing is due rests") {
    val run =
      new Run(PolicyWindowSpec.check(Eviction.Tumbling(micros(30)), KeyLimits.NotStated).toOption.get, true)
    Seq(Step(0, "a" -> 1), Step(10), Step(29), Step(30), Step(59)).foreach(run(_))
    assert(run.rested == 3)
  }

  check("tumbling punctuation", Eviction.ByPunctuation("mark"))(
    Step(0, "a" -> 1, "b" -> 2, "a" -> 3) -> "a+1 b+2 a+3",
    Step(0, "a" -> Mark, "a" -> 4)        -> "a+100 a-1,3,100 a=104#0 a+4",
    Step(0, marker = true)                -> "a-4 a=4#1 b-2 b=2#0")

  check("sliding count: full once, before a trigger", sliding(count(2), count(1)))(
    Step(0, "a" -> 1, "a" -> 2) -> "a+1 a!1 a=1#0 a+2 a*1,2 a!1,2 a=3#1",
    Step(0, "a" -> 3)           -> "a-1 a+3 a!2,3 a=5#2")

  check("sliding delta: exactly so far away stays; full as the first is exceeded", sliding(delta(8), count(5)))(
    Step(0, "k" -> 1, "k" -> 3, "k" -> 9) -> "k+1 k+3 k+9",
    Step(0, "k" -> 10)                    -> "k*1,3,9 k-1 k+10",
    Step(0, "k" -> 11)                    -> "k+11 k!3,9,10,11 k=33#0")

  check("sliding time: full from the start; older than the time leaves, as old stays", sliding(micros(5), count(2)))(
    Step(99, "a" -> 1, "a" -> 2) -> "a* a+1 a+2 a!1,2 a=3#0",
    Step(104)                    -> "",
    Step(105)                    -> "a-1,2",
    Step(200, "a" -> 3)          -> "a+3")

  check("trigger delta: the first only sets the mark; before eviction and insertion", sliding(count(2), delta(3)))(
    Step(0, "a" -> 4, "a" -> 7)             -> "a+4 a+7 a*4,7",
    Step(0, "a" -> 8)                       -> "a!4,7 a=11#0 a-4 a+8",
    Step(0, "a" -> 11, "a" -> 0, "a" -> 12) -> "a-7 a+11 a-8 a+0 a!11,0 a=11#1 a-11 a+12")

  check("trigger time: at multiples since the creation, once a step, also when empty", sliding(micros(3), micros(20)))(
    Step(1000, "a" -> 1) -> "a* a+1",
    Step(1004)           -> "a-1",
    Step(1021)           -> "a! a=0#0",
    Step(1043)           -> "a! a=0#1",
    Step(1059)           -> "",
    Step(1060)           -> "a! a=0#2")

  check("partition age", Eviction.Tumbling(count(9)), KeyLimits(idle = Some(TimeSpan(10))))(
    Step(0, "a" -> 1) -> "a+1",
    Step(5, "b" -> 2) -> "b+2",
    Step(10)          -> "",
    Step(11)          -> "a/1",
    Step(16)          -> "b/2")

  check("number of partitions: the oldest leaves", Eviction.Tumbling(count(9)), KeyLimits(maxKeys = Some(2)))(
    Step(0, "a" -> 1) -> "a+1",
    Step(1, "b" -> 2) -> "b+2",
    Step(2, "a" -> 3) -> "a+3",
    Step(3, "c" -> 4) -> "c+4 b/2")

  check(
    "messages in all partitions: oldest first, empty ones before",
    Eviction.Tumbling(count(2)),
    KeyLimits(maxRows = Some(2)))(
    Step(0, "a" -> 1)           -> "a+1",
    Step(1, "b" -> 2, "b" -> 3) -> "b+2 b+3 b-2,3 b=5#0",
    Step(2, "c" -> 4)           -> "c+4",
    Step(3, "d" -> 5)           -> "d+5 b/ a/1")

  test("a partition evicted by hand begins anew, and a replay has no effect") {
    val run = new Run(PolicyWindowSpec.check(Eviction.Tumbling(count(2))).toOption.get, restarts = true)
    assert(run(Step(0, "a" -> 1)) === "a+1")
    assert(run.evict("a") === "a/1")
    assert(run.evict("a") === "")
    assert(run(Step(0, "a" -> 2)) === "a+2")
    run.replayed = true
    assert(run(Step(0, "a" -> 3)) === "")
  }

  private val nine = Eviction.Tumbling(count(9))

  test("R66: limits that come with a restart know whose message was inserted first, whatever the clock") {
    val run = new Run(PolicyWindowSpec.checked(nine), restarts = true)
    assert(run(Step(5, "b" -> 1, "a" -> 2)) === "b+1 a+2")
    assert(run(Step(3, "b" -> 3, "c" -> 4)) === "b+3 c+4")
    run.spec = PolicyWindowSpec.checked(nine, KeyLimits(maxKeys = Some(2)))
    assert(run.needsEviction)
    assert(run(Step(3, "d" -> 5)) === "d+5 a/2 b/1,3")
    assert(!run.needsEviction)
  }

  private def aged(age: Long) = PolicyWindowSpec.checked(nine, KeyLimits(idle = Some(TimeSpan(age))))

  private val lasting = aged(1000)

  for ((before, begun) <- Seq("without one" -> PolicyWindowSpec.checked(nine), "with a longer one" -> lasting))
    test(s"R66: an age that comes with a restart holds for partitions at rest, begun $before") {
      val run = new Run(begun, restarts = true)
      assert(run(Step(0, "a" -> 1)) === "a+1")
      run.spec = aged(10)
      assert(run(Step(20)) === "a/1")
      assert(run(Step(21)) === "")
      assert(run.rested == 1)
    }

  test("R66: after a restart with a longer age, or none, the shard rests") {
    for (now <- Seq(lasting, PolicyWindowSpec.checked(nine))) {
      val run = new Run(aged(10), restarts = true)
      assert(run(Step(0, "a" -> 1)) === "a+1")
      run.spec = now
      assert(run(Step(20)) === "")
      assert(run.rested == 0)
      assert(run(Step(21)) === "")
      assert(run.rested == 1)
    }
  }

  for (evicted <- Seq(true, false))
    test(
      s"R66: an age that comes with a restart holds behind ${if (evicted) "an eviction by hand" else "kept state"}") {
      val run = new Run(lasting, restarts = true)
      run(Step(0, (1 to 1000).map(number => s"k$number" -> number): _*)) // in many buckets
      run.spec = aged(10)
      if (evicted) assert(run.evict("k1") === "k1/1") else run.keepState("k1")
      assert(run(Step(20)).count(_ == '/') === (if (evicted) 999 else 1000))
    }

  test("R66: the events of a key that is removed and returns in a step continue their numbers") {
    val run = new Run(PolicyWindowSpec.checked(nine, KeyLimits(maxKeys = Some(1))), restarts = true)
    assert(run.numbers(Step(0, "a" -> 1, "b" -> 2, "a" -> 3)) === "a0 b0 a1 a2 b1")
    assert(run.numbers(Step(1, "b" -> 4)) === "b0 a3")
  }

  test("every problem of a spec at once") {
    val bad = Eviction.Sliding(ByCount(0), ByDelta("v", -1))
    assert(PolicyWindowSpec.check(bad, KeyLimits(maxKeys = Some(0))).left.map(_.map(_.code)) ===
      Left(Seq("NOT_POSITIVE", "DELTA_NEGATIVE", "NOT_POSITIVE")))
  }
}

private object PolicyShardSpec {
  val Mark: Int = 100

  /** @param now
    *   processing time
    */
  final case class Step(now: Long, messages: Seq[(String, Int)], marker: Boolean, isEnd: Boolean)

  object Step {
    def apply(now: Long, messages: (String, Int)*): Step = new Step(now, messages, false, false)
    def apply(now: Long, marker: Boolean): Step          = new Step(now, Nil, marker, false)
    val End: Step                                        = new Step(0, Nil, false, true)
  }

  private val Signs = Map[EventKind, String](
    EventKind.Insertion         -> "+",
    EventKind.Eviction          -> "-",
    EventKind.Trigger           -> "!",
    EventKind.InitialFull       -> "*",
    EventKind.Final             -> ".",
    EventKind.PartitionEviction -> "/")

  /** Runs steps and formats effects as text: "a+1" is an insertion, "a=6#0" is pane 0 with the sum 6. */
  final class Run(var spec: PolicyWindowSpec, restarts: Boolean) {
    private var store  = new InMemoryShardStore
    private var shard  = new PolicyShard(spec, Sum, store)
    private var offset = 0L

    /** Whether the next message repeats the offset of the last one. */
    var replayed = false

    /** Returns the effects. Effects that concern all keys may have any order of keys, so they are sorted. */
    def apply(step: Step): String =
      text(if (step.messages.isEmpty) effects(step).toSeq.sortBy(keyOf).iterator else effects(step))

    private def keyOf(effect: PolicyEffect[Long]): String = effect match {
      case PolicyEffect.Happened(key, _, _, _) => new String(key.bytes)
      case PolicyEffect.Fire(pane)             => new String(pane.key.bytes)
    }

    /** Returns the numbers of the events, with their keys. */
    def numbers(step: Step): String = effects(step).collect { case PolicyEffect.Happened(key, _, _, sequence) =>
      s"${new String(key.bytes)}$sequence"
    }.mkString(" ")

    def needsEviction: Boolean = {
      reopen()
      shard.needsPartitionEviction
    }

    /** Number of steps in which the shard reports that nothing would happen. */
    var rested = 0

    private def effects(step: Step): Iterator[PolicyEffect[Long]] = {
      reopen()
      val rests = step.messages.isEmpty && !step.marker && !step.isEnd && shard.rests(Watermark.None, step.now)
      if (rests) rested += 1
      if (rests) Iterator.empty
      else if (step.isEnd) shard.finish()
      else shard.step(
        step.messages.iterator.map { case (key, value) => entry(key, value) },
        Some(step.now),
        step.marker)
    }

    def evict(key: String): String = {
      reopen()
      text(shard.evictPartition(new Key(key.getBytes)))
    }

    def keepState(key: String): Unit = {
      reopen()
      shard.keepState(Map(new Key(key.getBytes) -> Seq(Array[Byte](1))))
    }

    private def reopen(): Unit = if (restarts) {
      store = store.snapshot
      shard = new PolicyShard(spec, Sum, store)
    }

    private def entry(key: String, value: Int): PolicyEntry[Long] = {
      if (!replayed) offset += 1
      val raw = ByteBuffer.allocate(4).putInt(value).array
      PolicyEntry(new Key(key.getBytes), value.toDouble, value == Mark, value.toLong, raw, Some(Origin("s", 0, offset)))
    }

    private def text(effects: Iterator[PolicyEffect[Long]]): String = effects.map {
      case PolicyEffect.Happened(key, event, _, _) =>
        new String(key.bytes) + Signs(event.kind) + event.messages.map(ByteBuffer.wrap(_).getInt).mkString(",")
      case PolicyEffect.Fire(pane) => s"${new String(pane.key.bytes)}=${pane.value}#${pane.start}"
    }.toSeq.mkString(" ")
  }
}
