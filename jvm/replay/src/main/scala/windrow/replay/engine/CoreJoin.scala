package windrow.replay

import windrow.JoinSpec
import windrow.core.join.{JoinEffect, JoinFingerprint, JoinRow, JoinShard}
import windrow.core.operator.Counters
import windrow.core.state.{ShardStore, SpecFingerprint}
import windrow.core.time.Watermark

/** The core's join on shards. A join without equality fields has a single shard. */
private[windrow] final class CoreJoin(spec: JoinSpec, count: Int, wrap: CoreStores.Wrap)
    extends CoreStores[JoinShard](if (spec.hasKeys) count else 1, wrap) {

  private lazy val nullKey     = CoreKey.write(Value.Null)
  private lazy val fingerprint = new SpecFingerprint(JoinFingerprint.times(spec))

  protected def open(store: ShardStore): JoinShard     = new JoinShard(spec, store, _ == nullKey, fingerprint)
  protected def countersOf(shard: JoinShard): Counters = shard.counters

  def step(feed: Step.Feed): Emission =
    stepTo(feed.messages, feed.watermark.fold(Watermark.None)(Watermark(_)), clock(feed.processingTime))

  def finish(): Emission = stepTo(Nil, Watermark.End, clock(None))

  private def stepTo(messages: Seq[Message], watermark: Watermark, now: Option[Long]): Emission = {
    val entries = messages.map(message => CoreStores.incoming(message) -> message)
    val byShard = entries.groupBy(entry => shardOf(entry._1.key))
    val effects = shards.indices.flatMap { index =>
      val inputs = byShard.getOrElse(index, Nil).iterator.map { case (input, message) =>
        (spec.names.indexOf(message.stream.getOrElse("")), input)
      }
      shards(index).step(inputs, watermark, now)
    }
    Emission(
      rows = effects.collect { case JoinEffect.Row(row) => shown(row) },
      rejected = effects.collect { case JoinEffect.Reject(_, refused, reason, _) =>
        entries.find(_._1 eq refused).get._2.rejected(reason)
      })
  }

  private def shown(row: JoinRow): Emission.Row = spec.names.zip(row.messages.map(_.map(CoreStores.shown))).toMap

  def ask(query: Query): Answer = query match {
    case Query.Counters => Answer.Counters(counters)
    case Query.GetMessages(start, end, key, axis) =>
      val found = for (shard <- shards; stream <- spec.streams.indices)
        yield shard.getMessages(stream, start, end, key.map(CoreKey.write), CoreStores.axis(axis))
      Answer.Messages(found.flatten.sorted(CoreStores.order(axis)).map(CoreStores.stored))
    case _: Query.GetWindows => Answer.Refused("NO_WINDOWS")
  }
}
