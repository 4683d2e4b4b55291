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

/** A value for each window; no messages are kept.
  *
  * @param lift
  *   the buffer of one message
  * @param input
  *   name of its stream
  * @tparam B
  *   buffer
  * @tparam V
  *   value
  */
final class AggregatedWindowOperator[K, M, B, V](
    val spec: WindowOperatorSpec,
    format: MessageFormat[K, M],
    aggregation: Aggregation[B, V],
    lift: M => B,
    context: Context[M, Pane[K, V]] = Context[M, Pane[K, V]](),
    input: String = "messages")
    extends WindowOperator[M, Pane[K, V]](context) {

  private val formatter = new Formatter(format)

  def inputStreams: Seq[String] = Seq(input)

  private final class Windows(shard: Shard[B, V]) extends Core[M, Pane[K, V]] {
    def counters: Counters = shard.counters

    /** What is withheld goes without a time: it is refused, and its offset marked. */
    def step(came: Arrivals[M], watermark: Watermark, processingTime: Option[Long]): Outcome[M, Pane[K, V]] = {
      val withheld = entries(came.withheld.map(_._2)).map(_.copy(time = None)).toVector
      val effects =
        shard.step(entries(came.admitted.map(_._2)) ++ withheld, watermark, processingTime).toVector
      val (filtered, refused) =
        effects.collect { case Effect.Refuse(entry, reason, _) => (entry, reason) }
          .partition { case (entry, _) => withheld.exists(_ eq entry) }
      Outcome(
        effects.collect { case Effect.Fire(pane) => pane.copy(key = formatter.key(pane.key)) },
        refused.map { case (entry, reason) => Rejected(formatter.message(entry.raw), reason) },
        filtered.size)
    }

    def replayOffsets: Map[(String, Long), Long] = Map.empty
  }

  private[operators] def open(store: ShardStore): Core[M, Pane[K, V]] =
    new Windows(new Shard[B, V](spec, aggregation, store, Seq(spec.window.toString)))

  private def entries(messages: Seq[M]): Iterator[Entry[B]] =
    messages.map(message => formatter.incoming(message) -> message).sortBy(_._1)(Incoming.Order).iterator.map {
      case (incoming, message) =>
        val gap = spec.window match {
          case Session(span) => incoming.gap.orElse(span.map(_.micros)).filter(_ > 0)
          case _             => Some(0L)
        }
        Entry(
          incoming.key,
          incoming.time.filter(_ => gap.isDefined),
          gap.getOrElse(0L),
          count = 1,
          lift(message),
          incoming.payload,
          incoming.origin)
    }
}
