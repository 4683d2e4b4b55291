package windrow.core.policy

import windrow.Eviction
import windrow.Pane
import windrow.PolicyWindowSpec
import windrow.Timing
import windrow.core.aggregate.Aggregation
import windrow.core.operator.Origin
import windrow.core.state._

/** A message on its way into a window of policies.
  *
  * @param value
  *   of the column of a delta policy; 0 without one
  * @param isMarker
  *   it only marks the end of what is inside (punctuation)
  * @param buffer
  *   the message, lifted
  * @param raw
  *   the message as events show it
  */
final case class PolicyEntry[B](
    key: Key,
    value: Double,
    isMarker: Boolean,
    buffer: B,
    raw: Array[Byte],
    origin: Option[Origin])

/** What comes out of a shard of policy windows. */
sealed trait PolicyEffect[+V]

object PolicyEffect {
  final case class Happened(key: Key, event: WindowEvent[Array[Byte]]) extends PolicyEffect[Nothing]

  /** Window `n` of a key begins and ends at the number `n` of its pane. */
  final case class Fire[V](pane: Pane[Key, V]) extends PolicyEffect[V]
}

private[policy] final case class Kept[B](raw: Array[Byte], buffer: B)

/** The windows of all keys of a shard (SEMANTICS P). Moved by its steps alone; it reads no clock.
  *
  * @param store
  *   where it lives between two of its objects; written at the end of each step
  */
final class PolicyShard[B, V](spec: PolicyWindowSpec, aggregation: Aggregation[B, V], store: ShardStore) {
  private type Window  = Partition[Kept[B]]
  private type Effects = Vector[PolicyEffect[V]]

  private val rules    = PolicyRules(spec.eviction)
  private val limits   = new LimitRules(spec.limits)
  private val applied  = new AppliedOffsets
  private val windows  = new KeyBuckets[Window]("partitions", store, new PartitionCodec(aggregation), deadline)
  private var replayed = 0L

  Option(store.header).foreach { bytes =>
    val in = ByteReader.unsealed(bytes, "the header of a shard")
    applied.read(in)
    windows.readDirectory(in)
  }

  /** Messages that had been applied before, since this object was made. */
  def replays: Long = replayed

  private def deadline(window: Window): Long =
    (rules.deadline(window) ++ limits.deadline(window)).minOption.getOrElse(Long.MaxValue)

  /** One step: messages, then a marker for every key, then processing time (microseconds), by which all of it is judged.
    *
    * Effects are made as they are taken, and the state is written when the last one is: take them all.
    */
  def step(entries: Iterator[PolicyEntry[B]], now: Long, marker: Boolean = false): Iterator[PolicyEffect[V]] =
    entries.flatMap(add(_, now)) ++
      (if (marker) allKeys.flatMap(punctuate) else Iterator.empty) ++
      windows.due(now).flatMap(tick(_, now)) ++
      written()

  /** The input is over: FINAL for every partition. */
  def finish(): Iterator[PolicyEffect[V]] = allKeys.flatMap { key =>
    val window = windows.get(key)
    happened(key, WindowEvent(EventKind.Final, window.messages))
  }

  def partitions: Iterator[Key] = allKeys

  /** Whether a limit of partitions asks for an eviction now. */
  def needsPartitionEviction(now: Long): Boolean = limits.surplus(sizes, now).nonEmpty

  /** Drops a key's window, contents and marks. */
  def evictPartition(key: Key): Iterator[PolicyEffect[V]] =
    if (windows.get(key) == null) Iterator.empty else drop(key).iterator ++ written()

  private def allKeys: Iterator[Key] = windows.due(Long.MaxValue)

  private def sizes: Map[Key, PartitionSize] = allKeys.map { key =>
    val window = windows.get(key)
    key -> PartitionSize(window.touched, window.held.size.toLong)
  }.toMap

  private def add(entry: PolicyEntry[B], now: Long): Effects =
    if (entry.origin.exists(origin => !applied(origin.source, origin.partition, origin.offset))) {
      replayed += 1
      Vector.empty
    } else if (entry.isMarker) punctuate(entry.key)
    else {
      val before          = Option(windows.get(entry.key)).getOrElse(Partition.created[Kept[B]](entry.value, now))
      val (events, after) = rules.insert(before, Held(Kept(entry.raw, entry.buffer), entry.value, now))
      keep(entry.key, events, after) ++ (if (limits.areShared) limits.surplus(sizes, now).flatMap(drop) else Nil)
    }

  private def punctuate(key: Key): Effects = Option(windows.get(key)).filter(_ => rules.isPunctuated)
    .fold(Vector.empty: Effects)(window =>
      keep(key, Vector(WindowEvent(EventKind.Eviction, window.messages)), window.emptied))

  private def tick(key: Key, now: Long): Effects = {
    val window = windows.get(key)
    if (limits.isTooOld(window.touched, now)) drop(key)
    else {
      val (events, after) = rules.tick(window, now)
      if (events.isEmpty) Vector.empty else keep(key, events, after)
    }
  }

  private def drop(key: Key): Effects = {
    val window = windows.get(key)
    windows.remove(key)
    happened(key, WindowEvent(EventKind.PartitionEviction, window.messages))
  }

  private def keep(key: Key, events: Vector[WindowEvent[Kept[B]]], window: Window): Effects = {
    val (effects, panes) = events.foldLeft((Vector.empty: Effects, window.panes)) { case ((out, number), event) =>
      val pane = Option.when(firesPane(event.kind))(paneOf(key, number, event.messages))
      (out ++ happened(key, event) ++ pane, number + pane.size)
    }
    windows.put(key, window.copy(panes = panes))
    effects
  }

  /** A tumbling window is told as it leaves, a sliding one when it is triggered (SEMANTICS R58). */
  private def firesPane(kind: EventKind): Boolean = spec.eviction match {
    case _: Eviction.Sliding => kind == EventKind.Trigger
    case _                   => kind == EventKind.Eviction
  }

  private def paneOf(key: Key, number: Long, messages: Vector[Kept[B]]): PolicyEffect[V] = {
    val sum = messages.foldLeft(aggregation.zero)((sum, one) => aggregation.combine(sum, one.buffer))
    PolicyEffect.Fire(
      Pane(key, number, number, Timing.OnTime, 0, isLast = true, isRetraction = false, aggregation.lower(sum)))
  }

  private def happened(key: Key, event: WindowEvent[Kept[B]]): Effects =
    Vector(PolicyEffect.Happened(key, WindowEvent(event.kind, event.messages.map(_.raw))))

  private def written(): Iterator[PolicyEffect[V]] = Iterator.single(()).flatMap { _ =>
    windows.flush()
    val out = new ByteWriter
    applied.write(out)
    windows.writeDirectory(out)
    store.putHeader(out.sealedResult())
    Iterator.empty
  }
}
