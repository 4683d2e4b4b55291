package windrow.testkit

import java.nio.ByteBuffer
import windrow._
import windrow.core.operator._
import windrow.core.state.{ByteReader, ByteWriter, InMemoryShardStore, Key}

/** Runs transcripts on the core's shards, whose state lives as bytes between steps.
  *
  * @param shards
  *   number of shards, at least 1; keys are spread by hash
  */
final class CoreEngine(shards: Int = 4) extends Engine {
  def name: String = "core"

  def run(transcript: TranscriptCase): Outcome = transcript.operator match {
    case Left(problems) => Outcome.Refused(problems)
    case Right(OperatorSpec.Aggregate(spec, aggregates)) =>
      CoreLimits.hindrance(spec).fold(feed(transcript, spec, aggregates))(Outcome.NotRun)
    case Right(other) => Outcome.NotRun(s"The core cannot do ${other.name} yet.")
  }

  private def feed(transcript: TranscriptCase, spec: WindowOperatorSpec, aggregates: Seq[(String, String)]): Outcome = {
      val core = new CoreShards(spec, new TranscriptAggregation(aggregates), shards)
      val results = transcript.steps.map {
        case feed: Step.Feed =>
          val watermark = feed.watermark.fold(Watermark.None)(Watermark(_))
          StepResult.Emitted(core.step(feed.messages, watermark, feed.processingTime))
        case Step.Restart =>
          core.restart()
          StepResult.Restarted
        case Step.Ask(Query.Counters, _) => StepResult.Answered(Answer.Counters(core.counters))
        case Step.Ask(_, _)              => StepResult.Answered(Answer.Refused("NO_MESSAGE_STORE"))
      }
      Outcome.Ran(results, transcript.atEnd.filter(_.isFinal).map(_ => core.step(Nil, Watermark.End, None)))
  }
}

private final class CoreShards(spec: WindowOperatorSpec, aggregation: TranscriptAggregation, count: Int) {
  private type Buffer = TranscriptBuffer
  private type Values = Content

  private var stores         = Vector.fill(count)(new InMemoryShardStore)
  private var shards         = open()
  private var earlier        = Map.empty[String, Long] // what the shards before the last restart had counted
  private var processingTime = Option.empty[Long]

  private def open(): Vector[Shard[Buffer, Values]] =
    stores.map(store => new Shard[Buffer, Values](spec, aggregation, store, classes = true))

  def restart(): Unit = {
    earlier = counters
    stores = stores.map(_.snapshot)
    shards = open()
  }

  def step(messages: Seq[Message], watermark: Watermark, processingTime: Option[Long]): Emission = {
    processingTime.foreach(now => this.processingTime = Some(now))
    val sorted  = messages.sorted(Message.Order).toIndexedSeq
    val entries = sorted.indices.map(index => entry(sorted(index), index)).groupBy(shardOf)
    val effects = shards.indices.flatMap { index =>
      shards(index).step(entries.getOrElse(index, Nil).iterator, watermark, this.processingTime).toVector
    }
    Emission(
      effects.collect { case Effect.Fire(pane) => pane.copy(key = CoreKey.read(pane.key)) },
      effects.collect { case Effect.Refuse(entry, reason, _) =>
        sorted(ByteBuffer.wrap(entry.raw).getInt).rejected(reason)
      })
  }

  private def shardOf(entry: Entry[Buffer]): Int = Math.floorMod(entry.key.hashCode, count)

  private def entry(message: Message, index: Int): Entry[Buffer] = {
    val gap = spec.window match {
      case Session(Some(span)) => Some(span.micros)
      case Session(None)       => message.gap.filter(_ > 0)
      case _                   => Some(0L)
    }
    Entry(
      CoreKey.write(message.key),
      message.time.filter(_ => gap.isDefined),
      gap.getOrElse(0L),
      count = 1,
      aggregation.lift(message),
      raw = ByteBuffer.allocate(4).putInt(index).array,
      message.identity.map { case (_, partition, offset) => Origin("messages", partition.toLong, offset) })
  }

  def counters: Map[String, Long] = {
    val all = shards.map(_.counters)
    Map(
      "accepted" -> all.map(_.accepted).sum,
      "rejected" -> all.map(_.rejected).sum,
      "replays"  -> all.map(_.replays).sum,
      "gaps"     -> all.map(_.gaps).sum,
      "filtered" -> 0L,
      "in_time"  -> all.map(_.inTime).sum,
      "past"     -> all.map(_.past).sum,
      "future"   -> all.map(_.future).sum).map { case (name, count) => name -> (count + earlier.getOrElse(name, 0L)) }
  }
}

private object CoreKey {
  def write(key: Scalar): Key = {
    val out = new ByteWriter
    ScalarCodec.write(key, out)
    new Key(out.result())
  }

  def read(key: Key): Scalar = ScalarCodec.read(ByteReader(key.bytes))
}
