package windrow.operators

import windrow._
import windrow.core.aggregate.Aggregation
import windrow.core.state.ShardStore

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

  private[operators] def open(store: ShardStore): Core[M, Pane[K, V]] =
    new AggregatingCore[K, M, B, V](
      spec,
      formatter,
      aggregation,
      (_, message, _) => lift(message),
      inputStreams,
      store,
      context.guards)

  /** Windows that still take messages, with what these amount to so far, that overlap a closed range of their axis; in order
    * of (start, end). None: open.
    *
    * @param key
    *   None: of all keys
    */
  def getWindows(start: Option[Long], end: Option[Long], key: Option[K] = None): Seq[WindowValue[K, V]] =
    opened.asInstanceOf[AggregatingCore[K, M, _, V]].windows(start, end, key)

  /** The window of a key that begins at `start`, if it still takes messages. */
  def getWindow(key: K, start: Long): Option[WindowValue[K, V]] =
    getWindows(Some(start), Some(start), Some(key)).find(_.window.start == start)
}

object AggregatedWindowOperator {

  /** Late panes where nothing else is said: the source's 10 seconds of processing time. In a query, where a micro-batch
    * limits output anyway, it is each step (SEMANTICS R14).
    */
  val Late: PaneTrigger = EveryPeriod(TimeSpan(10000000L))

  /** Nothing stated but the windows, with the defaults of standalone operators. */
  def draft(window: WindowKind): WindowOperatorDraft = WindowOperatorDraft(window, late = Late)
}
