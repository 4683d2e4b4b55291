package windrow.operators

import windrow._
import windrow.core.fullstate.{FullStateEffect, FullStateShard, WindowMetadata}
import windrow.core.operator.ShardFingerprint
import windrow.core.state.{ShardStore, SpecFingerprint}
import windrow.core.store.Incoming
import windrow.core.time.{Axis, Watermark}

/** Keeps the messages of its windows: panes carry the new ones, and queries return all that retention holds.
  *
  * @param input
  *   name of the input stream
  */
final class FullStateWindowOperator[K, M](
    val spec: FullStateSpec,
    format: MessageFormat[K, M],
    context: Context[M, Pane[K, Seq[M]]] = Context[M, Pane[K, Seq[M]]](),
    input: String = "messages")
    extends WindowOperator[M, Pane[K, Seq[M]]](context) {

  private val formatter = new Formatter(format)

  def inputStreams: Seq[String] = Seq(input)

  private final class FullState(val shard: FullStateShard) extends Core[M, Pane[K, Seq[M]]] {
    override def retired: Long                     = shard.retired
    override def overRetention: Long               = shard.overRetention
    def restartOffsets: Map[SourcePartition, Long] = shard.restartOffsets

    def step(came: Arrivals[M], watermark: Watermark, processingTime: Option[Long]): Outcome[M, Pane[K, Seq[M]]] = {
      val filtered = came.withheld.count { case (_, message) => shard.withhold(formatter.incoming(message)) }
      val sorted = came.admitted.map { case (_, message) => formatter.incoming(message) }
        .sorted(Incoming.order(spec.window))
      val deltas = shard.step(sorted.iterator, watermark, processingTime).toVector
      Outcome(
        deltas.collect { case FullStateEffect.Fire(pane) =>
          pane.copy(key = formatter.key(pane.key), value = pane.value.map(m => formatter.message(m.payload)): Seq[M])
        },
        deltas.collect { case FullStateEffect.Reject(entry, reason, _) =>
          Rejected(formatter.message(entry.payload), reason)
        },
        filtered)
    }
  }

  private[operators] def open(store: ShardStore): Core[M, Pane[K, Seq[M]]] =
    new FullState(new FullStateShard(
      spec,
      store,
      SpecFingerprint("windows" -> spec.window.toString).and(
        Seq(ShardFingerprint.lateness(spec.window, spec.lateness)) ++
          ShardFingerprint.retained(spec.window, spec.retention) ++
          ShardFingerprint.starts(spec.window, spec.startOffsets): _*),
      guards = context.guards))

  private def shard: FullStateShard = opened.asInstanceOf[FullState].shard

  /** Messages in a closed range of event time (microseconds), in order. A bound of None is open.
    *
    * @param key
    *   None for all keys
    */
  def getMessages(start: Option[Long], end: Option[Long], key: Option[K] = None): Seq[M] =
    query(start, end, key, Axis.Time)

  /** Messages in a closed range of offsets, in order of offset. */
  def getMessagesByOffset(start: Option[Long], end: Option[Long], key: Option[K] = None): Seq[M] =
    query(start, end, key, Axis.Offset)

  private def query(start: Option[Long], end: Option[Long], key: Option[K], axis: Axis): Seq[M] =
    shard.getMessages(start, end, key.map(formatter.key(_: K)), axis).map(message => formatter.message(message.payload))

  /** Windows that overlap a closed range of event time, ordered by (start, end). */
  def getWindows(start: Option[Long], end: Option[Long], key: Option[K] = None): Seq[WindowInfo[K]] =
    shard.getWindows(start, end, key.map(formatter.key(_: K))).map(shown)

  /** The window of a key that starts at `start` (microseconds). */
  def getWindow(key: K, start: Long): Option[WindowInfo[K]] =
    getWindows(Some(start), Some(start), Some(key)).find(_.start == start)

  private def shown(row: WindowMetadata): WindowInfo[K] =
    WindowInfo(
      formatter.key(row.key),
      row.start,
      row.end,
      row.offsets,
      row.count,
      row.lastTiming,
      row.panes,
      row.isComplete,
      row.partition)
}
