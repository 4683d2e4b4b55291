package windrow.operators

import windrow._
import windrow.core.aggregate.Aggregation
import windrow.core.state.ShardStore

/** Computes one value for each window and keeps no messages.
  *
  * @param lift
  *   makes the buffer of one message
  * @param input
  *   name of the input stream
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
    extends WindowOperator[M, Pane[K, V]](context) with OpenWindows[K, M, V] {

  if (spec.gapValues.isDefined) throw SpecError(spec.window.toString, Seq(SpecProblem("GAP_VALUES.OPERATOR")))

  private val formatter = new Formatter(format)

  def inputStreams: Seq[String] = Seq(input)

  private[operators] def open(store: ShardStore): Core[M, Pane[K, V]] =
    new AggregatingCore[K, M, B, V](
      spec,
      formatter,
      aggregation,
      (_, message, _) => lift(message),
      inputStreams,
      store,
      context.guards)
}

object AggregatedWindowOperator {

  /** Default trigger for late panes: every 10 seconds of processing time. In a query the default is each step, because
    * micro-batches limit the output already (SEMANTICS R14).
    */
  val Late: PaneTrigger = EveryPeriod(TimeSpan(10000000L))

  /** A draft with these windows and the defaults of standalone operators. */
  def draft(window: WindowKind): WindowOperatorDraft = WindowOperatorDraft(window, late = Late)
}
