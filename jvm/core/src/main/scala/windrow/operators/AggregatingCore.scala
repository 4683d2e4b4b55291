package windrow.operators

import windrow._
import windrow.core.aggregate.Aggregation
import windrow.core.operator.Counters
import windrow.core.operator.Effect
import windrow.core.operator.Entry
import windrow.core.operator.Shard
import windrow.core.operator.Watermark
import windrow.core.state.ShardStore
import windrow.core.store.Incoming

/** A windowed aggregation over messages of one or more streams.
  *
  * @param lift
  *   the buffer of one message of a stream
  */
private[operators] final class AggregatingCore[K, M, B, V](
    spec: WindowOperatorSpec,
    formatter: Formatter[K, M],
    aggregation: Aggregation[B, V],
    lift: (String, M, Incoming) => B,
    streams: Seq[String],
    store: ShardStore)
    extends Core[M, Pane[K, V]] {

  private val shard =
    new Shard[B, V](spec, aggregation, store, spec.window.toString +: (if (streams.size > 1) streams else Nil))

  def counters: Counters = shard.counters

  /** What is withheld goes without a time: it is refused, and its offset marked. */
  def step(came: Arrivals[M], watermark: Watermark, processingTime: Option[Long]): Outcome[M, Pane[K, V]] = {
    val withheld = entries(came.withheld).map(_.copy(time = None)).toVector
    val effects  = shard.step(entries(came.admitted) ++ withheld, watermark, processingTime).toVector
    val (filtered, refused) =
      effects.collect { case Effect.Refuse(entry, reason, _) => (entry, reason) }
        .partition { case (entry, _) => withheld.exists(_ eq entry) }
    Outcome(
      effects.collect { case Effect.Fire(pane) => pane.copy(key = formatter.key(pane.key)) },
      refused.map { case (entry, reason) => Rejected(formatter.message(entry.raw), reason) },
      filtered.size)
  }

  def replayOffsets: Map[(String, Long), Long] = Map.empty

  private def entries(messages: Seq[(String, M)]): Iterator[Entry[B]] =
    messages.map { case (stream, message) => (incoming(stream, message), stream, message) }
      .sortBy(_._1)(order).iterator
      .map { case (incoming, stream, message) => entry(incoming, lift(stream, message, incoming)) }

  private val order: Ordering[Incoming] = spec.window match {
    case _: TupleWindows => Incoming.ByOffset
    case _               => Incoming.Order
  }

  /** Among several streams the name of one is the source of its messages (SEMANTICS R42). */
  private def incoming(stream: String, message: M): Incoming = {
    val plain = formatter.incoming(message)
    if (streams.size == 1) plain else plain.copy(origin = plain.origin.map(_.copy(source = stream)))
  }

  private def entry(incoming: Incoming, buffer: B): Entry[B] = {
    val gap = spec.window match {
      case Session(span) => incoming.gap.orElse(span.map(_.micros)).filter(_ > 0)
      case _             => Some(0L)
    }
    Entry(
      incoming.key,
      incoming.time.filter(_ => gap.isDefined),
      gap.getOrElse(0L),
      count = 1,
      buffer,
      incoming.payload,
      incoming.origin,
      incoming.pane)
  }
}
