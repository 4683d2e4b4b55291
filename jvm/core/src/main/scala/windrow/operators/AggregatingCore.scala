package windrow.operators

import windrow._
import windrow.core.aggregate.Aggregation
import windrow.core.operator.{Effect, Entry, OpenWindow, ShardFingerprint}
import windrow.core.shard.Shard
import windrow.core.state.{ShardStore, SpecFingerprint}
import windrow.core.store.Incoming
import windrow.core.time.Watermark

/** Runs a windowed aggregation over the messages of one or more streams on a shard.
  *
  * @param lift
  *   makes the buffer of one message of a stream
  */
private[operators] final class AggregatingCore[K, M, B, V](
    spec: WindowOperatorSpec,
    formatter: Formatter[K, M],
    aggregation: Aggregation[B, V],
    lift: (String, M, Incoming) => B,
    streams: Seq[String],
    store: ShardStore,
    guards: Guards)
    extends Core[M, Pane[K, V]] {

  val shard = new Shard[TrackedBuffer[B], V](
    spec,
    new TrackedAggregation(aggregation),
    store,
    AggregatingCore.fingerprint(spec, streams),
    guards = guards)

  def step(came: Arrivals[M], watermark: Watermark, processingTime: Option[Long]): Outcome[M, Pane[K, V]] = {
    val filtered = came.withheld.count { case (stream, message) => shard.withhold(unread(stream, message)) }
    val effects  = shard.step(entries(came.admitted), watermark, processingTime).toVector
    Outcome(
      effects.collect { case Effect.Fire(pane) => pane.copy(key = formatter.key(pane.key)) },
      effects.collect { case Effect.Reject(entry, reason, _, _, _) => Rejected(formatter.message(entry.raw), reason) },
      filtered)
  }

  /** An entry with an empty buffer, because the aggregate may fail on a message that a hook withholds. */
  private def unread(stream: String, message: M): Entry[TrackedBuffer[B]] = {
    val plain = incoming(stream, message)
    entry(plain, message, TrackedBuffer(aggregation.zero, plain.origin))
  }

  override def overRetention: Long = shard.overRetention

  def restartOffsets: Map[SourcePartition, Long] = shard.openWindows.flatMap(_.buffer.offsets)
    .foldLeft(shard.nextOffsets) { case (least, (part, range)) =>
      least.updated(part, math.min(range.first, least.getOrElse(part, range.first)))
    }

  /** Windows that still accept messages and overlap a closed range, ordered by (start, end). */
  def windows(start: Option[Long], end: Option[Long], key: Option[K]): Seq[WindowValue[K, V]] = {
    val of = key.map(formatter.key(_: K))
    shard.openWindows
      .filter(one =>
        of.forall(_ == one.key) && one.bounds.meets(start, end))
      .map(shown).toSeq.sortBy(one => (one.window.start, one.window.end))
  }

  private def shown(one: OpenWindow[TrackedBuffer[B]]): WindowValue[K, V] = WindowValue(
    WindowInfo(
      formatter.key(one.key),
      one.bounds.start,
      spec.window.bounds.shownEnd(one.bounds),
      one.buffer.offsets,
      one.buffer.count,
      one.paneState.last,
      one.paneState.index,
      one.isComplete,
      one.partition),
    shard.value(one))

  private def entries(messages: Seq[(String, M)]): Iterator[Entry[TrackedBuffer[B]]] =
    messages.map { case (stream, message) => (incoming(stream, message), stream, message) }
      .sortBy(_._1)(order).iterator
      .map { case (incoming, stream, message) =>
        entry(incoming, message, TrackedBuffer(lift(stream, message, incoming), incoming.origin))
      }

  private val order: Ordering[Incoming] = Incoming.order(spec.window)

  /** Uses the stream's name as the source of its messages if there are several streams (SEMANTICS R42). */
  private def incoming(stream: String, message: M): Incoming = {
    val plain = formatter.incoming(message)
    if (streams.size == 1) plain else plain.copy(origin = plain.origin.map(_.in(stream)))
  }

  private val rowValue = spec.window.rowValue

  private def entry(incoming: Incoming, message: M, buffer: TrackedBuffer[B]): Entry[TrackedBuffer[B]] = {
    val value = rowValue.of(incoming.value)
    Entry(
      incoming.key,
      incoming.time.filter(_ => value.isDefined),
      value.getOrElse(0L),
      count = 1,
      buffer,
      incoming.payload,
      incoming.origin,
      formatter.pane(message),
      formatter.mark(message))
  }
}

private object AggregatingCore {

  private def fingerprint(spec: WindowOperatorSpec, streams: Seq[String]): SpecFingerprint = {
    val names = streams.indices.filter(_ => streams.size > 1).map(i => s"stream ${i + 1}" -> streams(i))
    SpecFingerprint(names: _*).and(ShardFingerprint.of(spec): _*)
  }
}
