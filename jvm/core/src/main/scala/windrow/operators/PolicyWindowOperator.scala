package windrow.operators

import scala.collection.mutable
import windrow.core.aggregate.Aggregation
import windrow.core.policy.{PolicyEffect, PolicyEntry, PolicyFingerprint, PolicyShard}
import windrow.core.state.{Key, ShardStore, SpecFingerprint}
import windrow.core.time.Watermark
import windrow.{By, ByDelta, ErrorConditions, Eviction, Pane, PolicyWindowSpec, SourcePartition}

/** An output of policy windows. */
sealed trait PolicyOutput[K, M, V]

object PolicyOutput {
  final case class Fired[K, M, V](pane: Pane[K, V])               extends PolicyOutput[K, M, V]
  final case class Happened[K, M, V](event: PartitionEvent[K, M]) extends PolicyOutput[K, M, V]
}

/** Windows controlled by policies of eviction and trigger (as in IBM Streams). Each key is a partition with one window,
  * changed by its messages and by processing time; event time is not used (SEMANTICS P).
  *
  * Periods that start before any processing time is known count from the first one. The messages of one call are
  * applied in order of source, partition and offset if they have them, otherwise in the given order.
  *
  * @param lift
  *   makes the buffer of one message
  * @param measure
  *   value of a column of a message, for policies by delta; NaN if the message lacks one (SEMANTICS R89)
  * @param isMarker
  *   whether the message is the last one of its window, for eviction by punctuation
  * @param isKeyed
  *   false if there is a single partition, which cannot be evicted
  * @param hasEvents
  *   whether events are emitted in addition to panes; listeners receive them in any case
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
  private val changed    = mutable.LinkedHashSet.empty[Key] // partitions whose listener state may have changed
  private var isDraining = false

  def inputStreams: Seq[String] = Seq(input)

  // ---- listeners

  /** Adds a listener that receives every later event, one at a time, in order.
    *
    * @param asynchronous
    *   runs it on a thread of its own; `drain`, `flush` and `checkpoint` wait for it
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

  /** Stores the state of listeners with their partitions (SEMANTICS R61). */
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

  /** Keys of all partitions. */
  def partitions(): Seq[K] = shard.partitions.map(formatter.key(_: Key)).toSeq

  /** Whether a limit of partitions requires an eviction. */
  def needsPartitionEviction(): Boolean = shard.needsPartitionEviction

  /** Drops the window, contents and marks of a key, with the event PARTITION_EVICTION; does nothing if the key has no
    * partition. Only a listener may call it, in its `onDrain` (SEMANTICS R62).
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

  /** Passes events to listeners and returns the outputs. */
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
      sums = aggregation.storage.isEmpty))
}
