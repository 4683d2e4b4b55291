package windrow.replay

import windrow.core.dedup.{DedupEffect, DedupShard}
import windrow.core.offsets.Progress
import windrow.core.operator.Counters
import windrow.core.state.{ShardStore, SpecFingerprint}
import windrow.core.store.Incoming
import windrow.core.time.Watermark
import windrow.{DedupSpec, Reason}

/** The core's deduplication on shards. `order_by` orders by the value of a message. */
private[windrow] final class CoreDedup(spec: DedupSpec, count: Int, wrap: CoreStores.Wrap)
    extends CoreStores[DedupShard](count, wrap) {
  private lazy val fingerprint = new SpecFingerprint(DedupShard.fingerprint(spec))
  private lazy val order =
    Option.when(spec.orderBy.nonEmpty)(Ordering.by[Array[Byte], Scalar](CoreStores.value))

  protected def open(store: ShardStore): DedupShard     = new DedupShard(spec, store, fingerprint, order = order)
  protected def countersOf(shard: DedupShard): Counters = shard.counters

  def step(feed: Step.Feed): Emission =
    stepTo(feed.messages, feed.watermark.fold(Watermark.None)(Watermark(_)), clock(feed.processingTime))

  def finish(): Emission = stepTo(Nil, Watermark.End, clock(None))

  private def stepTo(messages: Seq[Message], watermark: Watermark, now: Option[Long]): Emission = {
    val entries  = messages.map(message => CoreStores.incoming(message) -> message)
    val sorted   = entries.sortBy(_._1)(Incoming.order(spec.windows.window))
    val byShard  = sorted.groupBy(entry => shardOf(entry._1.key))
    val progress = entries.flatMap(_._1.origin).map(at => Progress(at.partition, at.offset, at.offset))
    val effects = shards.indices.flatMap(index =>
      shards(index).step(byShard.getOrElse(index, Nil).iterator.map(_._1), watermark, now, progress).toVector)
    Emission(
      rows = effects.collect {
        case DedupEffect.Keep(one)    => Emission.kept(shown(one))
        case DedupEffect.Retract(one) => Emission.retracted(shown(one))
      },
      rejected = effects.collect {
        case DedupEffect.Drop(one, reason, _) => shown(one).rejected(reason)
        case DedupEffect.Replace(one, _)      => shown(one).rejected(Reason.Duplicate)
      })
  }

  private def shown(one: Incoming): Message =
    Message(CoreKey.read(one.key), one.time, CoreStores.value(one.payload))

  def ask(query: Query): Answer = query match {
    case Query.Counters => Answer.Counters(counters)
    case _              => Answer.Refused("NO_MESSAGE_STORE")
  }
}
