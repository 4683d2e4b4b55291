package windrow.replay

import windrow._
import windrow.core.operator.Counters
import windrow.core.policy.{EventKind, PolicyEffect, PolicyEntry, PolicyShard}
import windrow.core.state.{ByteReader, ByteWriter, ShardStore}

/** Policy windows on the core's shards. */
private[windrow] final class CorePolicies(
    spec: PolicyWindowSpec,
    aggregates: Seq[(String, String)],
    count: Int,
    wrap: CoreStores.Wrap,
    pageBytes: Int)
    extends CoreStores[PolicyShard[TranscriptBuffer, Content]](count, wrap) {

  // all positions are equal, because the contents of policy windows are in order of insertion
  private lazy val aggregation = new TranscriptAggregation(aggregates, _ => Array.emptyByteArray)

  protected def open(store: ShardStore): PolicyShard[TranscriptBuffer, Content] =
    new PolicyShard(spec, aggregation, store, pageBytes = pageBytes)

  protected def countersOf(shard: PolicyShard[TranscriptBuffer, Content]): Counters = shard.counters

  def step(feed: Step.Feed): Emission = {
    val now     = clock(feed.processingTime).orElse(Some(0L))
    val entries = feed.messages.sorted(Message.ByPosition).map(entry).groupBy(one => shardOf(one.key))
    emission(shards.indices.flatMap(index =>
      shards(index).step(entries.getOrElse(index, Nil).iterator, now, feed.punctuation)))
  }

  def finish(): Emission = emission(shards.flatMap(_.finish()))

  def ask(query: Query): Answer = Answer.Refused("NO_MESSAGE_STORE")

  private def entry(message: Message): PolicyEntry[TranscriptBuffer] = {
    val raw = new ByteWriter
    ScalarCodec.write(message.value, raw)
    val number = message.value match {
      case Value.Whole(number) => number.toDouble
      case Value.Null          => Double.NaN
      case _                   => 0.0
    }
    PolicyEntry(
      CoreKey.write(message.key),
      number,
      message.marker,
      aggregation.lift(message),
      raw.result(),
      CoreStores.origin(message))
  }

  private def emission(effects: Seq[PolicyEffect[Content]]): Emission = Emission(
    panes = effects.collect { case PolicyEffect.Fire(pane) => pane.copy(key = CoreKey.read(pane.key)) },
    events = effects.collect { case PolicyEffect.Happened(key, event, _, _) =>
      PolicyEvent(
        CoreKey.read(key),
        CorePolicies.kind(event.kind),
        event.messages.map(raw => ScalarCodec.read(ByteReader(raw))))
    })
}

private[windrow] object CorePolicies {
  def kind(of: EventKind): PolicyEvent.Kind = PolicyEvent.Kinds.find(_.toString == of.toString).get
}
