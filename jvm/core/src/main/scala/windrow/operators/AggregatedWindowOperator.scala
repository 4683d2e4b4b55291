package windrow.operators

import windrow._
import windrow.core.aggregate.Aggregation
import windrow.core.operator.Effect
import windrow.core.operator.Entry
import windrow.core.operator.Shard
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

  protected def open(store: ShardStore): Core = {
    val shard = new Shard[B, V](spec, aggregation, store, Seq(spec.window.toString))
    (messages, watermark, processingTime) => {
      val effects = shard.step(entries(messages.map(_._2)), watermark, processingTime).toVector
      val panes   = effects.collect { case Effect.Fire(pane) => pane.copy(key = formatter.key(pane.key)) }
      val refused = effects.collect { case Effect.Refuse(entry, reason, _) =>
        Rejected(formatter.message(entry.raw), reason)
      }
      (panes, refused)
    }
  }

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
