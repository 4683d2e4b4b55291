package windrow.testkit

import windrow._
import windrow.core.operator.Origin
import windrow.core.policy.{EventKind, PolicyEffect, PolicyEntry, PolicyShard}
import windrow.core.state.{ByteReader, ByteWriter, InMemoryShardStore}

/** Runs transcripts of policy windows on the core's shards. */
private object PolicyCore {

  def run(transcript: TranscriptCase, policy: OperatorSpec.Policy, shards: Int): Outcome =
    policy.spec(transcript.timeUnit) match {
      case Left(problems) => Outcome.Refused(problems)
      case Right(spec) =>
        val core =
          new PolicyShards(spec, OperatorSpec.aggregates(policy.json), if (spec.limits.areShared) 1 else shards)
        val results = transcript.steps.map {
          case feed: Step.Feed => StepResult.Emitted(core.step(feed))
          case Step.Restart =>
            core.restart()
            StepResult.Restarted
          case Step.Ask(_, _) => StepResult.Answered(Answer.Refused("NO_MESSAGE_STORE"))
        }
        Outcome.Ran(results, transcript.atEnd.filter(_.isFinal).map(_ => core.finish()))
    }
}

private final class PolicyShards(spec: PolicyWindowSpec, aggregates: Seq[(String, String)], count: Int) {
  // The contents of policy windows are in order of insertion.
  private val aggregation = new TranscriptAggregation(aggregates, _ => Array.emptyByteArray)
  private var stores      = Vector.fill(count)(new InMemoryShardStore)
  private var shards      = open()
  private var now         = 0L

  private def open() = stores.map(store => new PolicyShard(spec, aggregation, store))

  def restart(): Unit = {
    stores = stores.map(_.snapshot)
    shards = open()
  }

  def step(feed: Step.Feed): Emission = {
    feed.processingTime.foreach(now = _)
    val entries = feed.messages.sorted(Message.ByPosition).map(entry).groupBy(e => Math.floorMod(e.key.hashCode, count))
    emission(shards.indices.flatMap(index =>
      shards(index).step(entries.getOrElse(index, Nil).iterator, Some(now), feed.punctuation)))
  }

  def finish(): Emission = emission(shards.flatMap(_.finish()))

  private def entry(message: Message): PolicyEntry[TranscriptBuffer] = {
    val raw = new ByteWriter
    ScalarCodec.write(message.value, raw)
    val number = message.value match {
      case Value.Whole(number) => number.toDouble
      case _                   => 0.0
    }
    PolicyEntry(
      CoreKey.write(message.key),
      number,
      isMarker = false,
      aggregation.lift(message),
      raw.result(),
      message.identity.map { case (_, partition, offset) => Origin("messages", partition.toLong, offset) })
  }

  private def emission(effects: Seq[PolicyEffect[Content]]): Emission = Emission(
    panes = effects.collect { case PolicyEffect.Fire(pane) => pane.copy(key = CoreKey.read(pane.key)) },
    events = effects.collect { case PolicyEffect.Happened(key, event, _, _) =>
      PolicyEvent(
        CoreKey.read(key),
        PolicyShards.kind(event.kind),
        event.messages.map(raw => ScalarCodec.read(ByteReader(raw))))
    })
}

private object PolicyShards {
  def kind(of: EventKind): PolicyEvent.Kind = PolicyEvent.Kinds.find(_.toString == of.toString).get
}
