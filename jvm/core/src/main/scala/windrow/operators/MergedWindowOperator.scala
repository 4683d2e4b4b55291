package windrow.operators

import windrow.core.aggregate.OrderedAggregation
import windrow.core.state.ShardStore
import windrow.{Pane, SpecError, SpecProblem, WindowOperatorSpec}

/** Computes one value for each window over several streams together. Windows, triggers and accumulation are those of an
  * aggregation (SEMANTICS R56). The watermark is the least of the streams' watermarks; set these with
  * `advanceWatermark(stream, …)`.
  *
  * @param inputStreams
  *   two or more names, in order; the name of a stream is the source of its messages
  * @throws windrow.SpecError
  *   listing all problems with the names
  */
final class MergedWindowOperator[K, M, B, V](
    val spec: WindowOperatorSpec,
    val inputStreams: Seq[String],
    format: MessageFormat[K, M],
    merge: MergeAccumulation[M, B, V],
    context: Context[M, Pane[K, V]] = Context[M, Pane[K, V]]())
    extends WindowOperator[M, Pane[K, V]](context) with OpenWindows[K, M, V] {

  locally {
    val twice = inputStreams.diff(inputStreams.distinct).distinct
    val found =
      Option.when(inputStreams.size < 2)(
        SpecProblem("STREAMS_TOO_FEW.MERGE", "count" -> inputStreams.size)) ++
        twice.map(name => SpecProblem("STREAM_TWICE.NAME", "name" -> name))
    if (found.nonEmpty) throw SpecError("a merge of streams", found.toSeq)
  }

  private val formatter = new Formatter(format)

  private[operators] def open(store: ShardStore): Core[M, Pane[K, V]] =
    if (merge.isOrdered) {
      val ordered = new OrderedAggregation(merge)
      new AggregatingCore(
        spec,
        formatter,
        ordered,
        (stream: String, message: M, incoming) => ordered.lift(incoming.position, lift(stream, message)),
        inputStreams,
        store,
        context.guards)
    } else
      new AggregatingCore(
        spec,
        formatter,
        merge,
        (stream: String, message: M, _) => lift(stream, message),
        inputStreams,
        store,
        context.guards)

  private def lift(stream: String, message: M): B = merge.lift(inputStreams.indexOf(stream), message)
}
