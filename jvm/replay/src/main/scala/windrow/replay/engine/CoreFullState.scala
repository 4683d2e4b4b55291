package windrow.replay

import windrow.FullStateSpec
import windrow.core.fullstate.{FullStateEffect, FullStateShard, WindowMetadata}
import windrow.core.offsets.Progress
import windrow.core.operator.{Counters, ShardFingerprint}
import windrow.core.state.{ShardStore, SpecFingerprint}
import windrow.core.store.Incoming
import windrow.core.time.Watermark

/** The core's full-state operator on shards. */
private[windrow] final class CoreFullState(
    spec: FullStateSpec,
    count: Int,
    wrap: CoreStores.Wrap,
    pageBytes: Int)
    extends CoreStores[FullStateShard](count, wrap) {
  private lazy val fingerprint = new SpecFingerprint(
    Seq(ShardFingerprint.lateness(spec.window, spec.lateness)) ++ ShardFingerprint.retained(
      spec.window,
      spec.retention) ++ ShardFingerprint.starts(spec.window, spec.startOffsets))

  protected def open(store: ShardStore): FullStateShard =
    new FullStateShard(spec, store, fingerprint, pageBytes = pageBytes)
  protected def countersOf(shard: FullStateShard): Counters = shard.counters
  override protected def countOpen(shard: FullStateShard)   = Some(shard.getWindows(None, None).size.toLong)

  def step(feed: Step.Feed): Emission =
    stepTo(feed.messages, feed.watermark.fold(Watermark.None)(Watermark(_)), clock(feed.processingTime))

  def finish(): Emission = stepTo(Nil, Watermark.End, clock(None))

  private def stepTo(messages: Seq[Message], watermark: Watermark, now: Option[Long]): Emission = {
    val entries = messages.map(message => CoreStores.incoming(message) -> message)
    val byShard =
      entries.sortBy(_._1)(Incoming.order(spec.window)).groupBy(entry => shardOf(entry._1.key))
    val progress = entries.flatMap(_._1.origin).map(at => Progress(at.partition, at.offset, at.offset))
    val deltas = shards.indices.flatMap(index =>
      shards(index).step(byShard.getOrElse(index, Nil).iterator.map(_._1), watermark, now, progress))
    Emission(
      panes = deltas.collect { case FullStateEffect.Fire(pane) =>
        pane.copy(
          key = CoreKey.read(pane.key),
          value = Content.Messages(pane.value.map(CoreStores.shown)): Content,
          message = None,
          partition = None)
      },
      rejected = deltas.collect { case FullStateEffect.Refuse(refused, reason, _) =>
        entries.find(_._1 eq refused).get._2.rejected(reason)
      })
  }

  def ask(query: Query): Answer = query match {
    case Query.Counters => Answer.Counters(counters)
    case Query.GetMessages(start, end, key, axis) =>
      val found = shards.flatMap(_.getMessages(start, end, key.map(CoreKey.write), CoreStores.axis(axis)))
      Answer.Messages(found.sorted(CoreStores.order(axis)).map(CoreStores.stored))
    case Query.GetWindows(start, end, key) =>
      val found = shards.flatMap(_.getWindows(Some(start), Some(end), key.map(CoreKey.write)))
      Answer.Windows(found.map(shown).sortBy(row => (row.start, row.end, row.key == Value.Null, row.key)))
  }

  private def shown(row: WindowMetadata): WindowRow = WindowRow(
    CoreKey.read(row.key),
    row.start,
    row.end,
    row.offsets.values.map(_.first).minOption,
    row.offsets.values.map(_.last).maxOption,
    row.count)
}
