package windrow.operators

import scala.collection.mutable
import windrow.By
import windrow.ByDelta
import windrow.ErrorConditions
import windrow.Eviction
import windrow.Pane
import windrow.PolicyWindowSpec
import windrow.SourcePartition
import windrow.core.aggregate.Aggregation
import windrow.core.operator.Counters
import windrow.core.policy.PolicyEffect
import windrow.core.policy.PolicyEntry
import windrow.core.policy.PolicyFingerprint
import windrow.core.policy.PolicyShard
import windrow.core.state.SpecFingerprint
import windrow.core.state.Key
import windrow.core.state.ShardStore
import windrow.core.time.Watermark

/** What comes out of policy windows, in order. */
sealed trait PolicyOutput[K, M, V]

object PolicyOutput {
  final case class Fired[K, M, V](pane: Pane[K, V])               extends PolicyOutput[K, M, V]
  final case class Happened[K, M, V](event: PartitionEvent[K, M]) extends PolicyOutput[K, M, V]
}

/** Windows by policies of eviction and trigger (IBM Streams): each key is a partition with a window of its own, moved by
  * its messages and by processing time; event time plays no part (SEMANTICS P).
  *
  * Periods of policies that come before any processing time count from the first that is seen. Messages of one call are
  * applied by source, partition and offset, where they have them, else as they stand.
  *
  * @param lift
  *   the buffer of one message
  * @param measure
  *   a message's value of a column, for policies by delta; NaN if it has none (SEMANTICS R89)
  * @param isMarker
  *   the message is the last one of its window, for eviction by punctuation
  * @param isKeyed
  *   false: there is one partition, which cannot be evicted
  * @param hasEvents
  *   events come out beside panes; listeners hear of them in any case
  */
final class PolicyWindowOperator[K, M, B, V](
    val spec: PolicyWindowSpec,
    format: MessageFormat[K, M],
    aggregation: Aggregation[B, V],
    lift: M => B,
    context: Context[M, PolicyOutput[K, M, V]] = Context[M, PolicyOutput[K, M, V]](),
    input: String = "messages",
    measure: (M, String) => Double = (_: M, _: String) => 0.0,
    isMarker: M => Boolean = (_: M) => false,
    isKeyed: Boolean = true,
    hasEvents: Boolean = true)
    extends WindowOperator[M, PolicyOutput[K, M, V]](context) {

  private type Output = PolicyOutput[K, M, V]

  private val formatter  = new Formatter(format)
  private val listeners  = new Listeners[K, M](context.name)
  private val changed    = mutable.LinkedHashSet.empty[Key] // partitions whose listeners may have other state
  private var isDraining = false

  def inputStreams: Seq[String] = Seq(input)

  // ---- listeners

  /** Calls a listener for every event from now on, one at a time, in order.
    *
    * @param asynchronous
    *   it runs off the calling thread; `drain`, `flush` and `checkpoint` wait for it
    */
  def addListener(listener: WindowListener[K, M], asynchronous: Boolean = false): Unit = {
    listeners.add(listener, asynchronous)
    if (isOpen) load(listeners.size - 1)
  }

  private def load(place: Int): Unit = shard.partitions.foreach(key =>
    shard.state(key).lift(place).foreach(listeners.load(place, formatter.key(key), _)))

  private[operators] override def restored(): Unit = (0 until listeners.size).foreach(load)

  private[operators] override def drained(): Unit = {
    listeners.await()
    isDraining = true
    try listeners.drained()
    finally isDraining = false
    listeners.await()
  }

  /** What listeners keep goes with the partitions (SEMANTICS R61). */
  private[operators] override def persisting(): Unit = if (changed.nonEmpty) {
    if (listeners.haveState) {
      listeners.await()
      shard.keepState(changed.iterator.map(key => key -> listeners.save(formatter.key(key))).toMap)
    }
    changed.clear()
  }

  private[operators] override def stepped(): Unit = listeners.raise()
  private[operators] override def closing(): Unit = listeners.close()

  // ---- partitions

  /** Keys of the partitions that there are. */
  def partitions(): Seq[K] = shard.partitions.map(formatter.key(_: Key)).toSeq

  /** Whether a limit of partitions asks for an eviction. */
  def needsPartitionEviction(): Boolean = shard.needsPartitionEviction

  /** Drops a key's window, contents and marks, with PARTITION_EVICTION; nothing if there is none. To be called by a
    * listener in its `onDrain` (SEMANTICS R62).
    */
  def evictPartition(key: K): Unit = {
    val of = shard
    if (!isKeyed) throw new IllegalStateException(
      ErrorConditions.message("NOT_KEYED", "operator" -> context.name))
    if (!isDraining) throw new IllegalStateException(
      ErrorConditions.message("NOT_IN_DRAIN", "operator" -> context.name))
    add(told(of.evictPartition(formatter.key(key)).toVector))
    stepped()
  }

  // ---- the core

  private def shard: PolicyShard[B, V] = opened.asInstanceOf[Windows].shard

  private final class Windows(val shard: PolicyShard[B, V]) extends Core[M, Output] {
    def counters: Counters                         = shard.counters
    def watermark: Watermark                       = shard.watermark
    def restartOffsets: Map[SourcePartition, Long] = shard.restartOffsets

    def step(came: Arrivals[M], watermark: Watermark, processingTime: Option[Long]): Outcome[M, Output] = {
      val filtered = came.withheld.count { case (_, message) => shard.withhold(format.origin(message)) }
      val entries  = came.admitted.map { case (_, message) => entry(message) }.sortBy(_.origin)
      val effects  = shard.step(entries.iterator, processingTime).toVector
      val last     = if (watermark.isEnd) shard.finish().toVector else Vector.empty
      Outcome(told(effects ++ last), Nil, filtered)
    }
  }

  private def entry(message: M): PolicyEntry[B] = {
    val incoming = formatter.incoming(message)
    def value(by: By) = by match {
      case ByDelta(column, _) => measure(message, column)
      case _                  => 0.0
    }
    val (byEviction, byTrigger) = spec.eviction match {
      case Eviction.Tumbling(by)         => (value(by), 0.0)
      case Eviction.ByPunctuation(_)     => (0.0, 0.0)
      case Eviction.Sliding(by, trigger) => (value(by), value(trigger))
    }
    PolicyEntry(
      incoming.key,
      byEviction,
      isMarker(message),
      lift(message),
      incoming.payload,
      incoming.origin,
      Some(byTrigger))
  }

  /** Tells listeners, and gives what comes out. */
  private def told(effects: Vector[PolicyEffect[V]]): Seq[Output] = effects.flatMap {
    case PolicyEffect.Fire(pane) => Some(PolicyOutput.Fired[K, M, V](pane.copy(key = formatter.key(pane.key))))
    case happened: PolicyEffect.Happened =>
      val event = shown(happened)
      changed += happened.key
      listeners.tell(event)
      Option.when(hasEvents)(PolicyOutput.Happened[K, M, V](event))
  }

  private def shown(happened: PolicyEffect.Happened): PartitionEvent[K, M] = PartitionEvent(
    formatter.key(happened.key),
    happened.event.kind,
    happened.window,
    happened.sequence,
    happened.event.messages.map(formatter.message))

  private[operators] def open(store: ShardStore): Core[M, Output] =
    new Windows(new PolicyShard(
      spec,
      aggregation,
      store,
      new SpecFingerprint(Seq(PolicyFingerprint(spec.eviction))),
      context.guards,
      hasEvents = hasEvents || listeners.hear,
      sums = aggregation.keeping.isEmpty))
}
