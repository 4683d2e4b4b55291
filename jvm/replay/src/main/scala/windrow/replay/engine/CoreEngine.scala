package windrow.replay

import windrow._
import windrow.core.aggregate.Aggregation
import windrow.core.offsets.Progress
import windrow.core.operator._
import windrow.core.shard.Shard
import windrow.core.state.{ByteReader, ByteWriter, Key, ShardStore, SpecFingerprint}
import windrow.core.time.Watermark

/** Runs transcripts on the core's shards, whose state is stored as bytes between steps.
  *
  * @param shards
  *   number of shards, at least 1; keys are distributed by hash
  */
class CoreEngine(shards: Int = 4) extends Engine {
  def name: String = "core"

  /** Wraps the store of a shard. Tests override this to inject faults. */
  private[windrow] def stores: CoreStores.Wrap = identity

  private[windrow] def drive(transcript: TranscriptCase, operator: CoreOperator): Outcome =
    StepwiseOperator.run(transcript, operator)

  def run(transcript: TranscriptCase): Outcome =
    operator(transcript, CoreStores.Sizes.of(shards)).fold(Outcome.Refused(_), drive(transcript, _))

  /** Returns the operator of a case in its state before the first step. */
  private[windrow] def operator(
      transcript: TranscriptCase,
      sizes: CoreStores.Sizes): Either[Seq[SpecProblem], CoreOperator] =
    transcript.operator.flatMap {
      case OperatorSpec.Aggregate(spec, aggregates) =>
        val aggregation = new TranscriptAggregation(aggregates, position(spec.window), sizes.piece)
        Right(new CoreShards(spec, aggregation, aggregation.lift(_), shards, stores, sizes.large))
      case OperatorSpec.FullState(spec) => Right(new CoreFullState(spec, shards, stores, sizes.page))
      case OperatorSpec.Join(spec)      => Right(new CoreJoin(spec, shards, stores))
      case OperatorSpec.Dedup(spec)     => Right(new CoreDedup(spec, shards, stores))
      case OperatorSpec.CoGroup(spec) =>
        val aggregation = new CoGroupAggregation(spec.streams)
        Right(new CoreShards(
          spec.window,
          aggregation,
          aggregation.lift(_),
          shards,
          stores,
          sizes.large))
      case policy: OperatorSpec.Policy => policies(transcript, policy, sizes)
    }

  /** Returns the position of a message in its window: by offset in tuple windows, and in count windows the same for
    * all, so that the order of acceptance applies.
    */
  private def position(window: WindowKind): Message => Array[Byte] = window match {
    case _: Count        => _ => Array.empty
    case _: TupleWindows => message => TranscriptAggregation.position(message.copy(time = None))
    case _               => TranscriptAggregation.position
  }

  private def policies(
      transcript: TranscriptCase,
      policy: OperatorSpec.Policy,
      sizes: CoreStores.Sizes): Either[Seq[SpecProblem], CoreOperator] =
    policy.spec(transcript.timeUnit).map { spec =>
      val count = if (spec.limits.areShared) 1 else shards
      new CorePolicies(spec, OperatorSpec.aggregates(policy.json), count, stores, sizes.page)
    }
}

private[windrow] final class CoreShards[Buffer](
    spec: WindowOperatorSpec,
    aggregation: Aggregation[Buffer, Content],
    lift: Message => Buffer,
    count: Int,
    wrap: CoreStores.Wrap,
    largeFrom: Int) extends CoreStores[Shard[Buffer, Content]](count, wrap, largeFrom) {
  private lazy val fingerprint = new SpecFingerprint(ShardFingerprint.of(spec))

  protected def open(store: ShardStore): Shard[Buffer, Content] =
    new Shard[Buffer, Content](spec, aggregation, store, fingerprint)

  protected def countersOf(shard: Shard[Buffer, Content]): Counters = shard.counters
  override protected def countOpen(shard: Shard[Buffer, Content])   = Some(shard.openWindows.size.toLong)

  def step(feed: Step.Feed): Emission =
    stepTo(feed.messages, feed.watermark.fold(Watermark.None)(Watermark(_)), clock(feed.processingTime))

  def finish(): Emission = stepTo(Nil, Watermark.End, clock(None))

  def ask(query: Query): Answer = query match {
    case Query.Counters => Answer.Counters(counters)
    case _              => Answer.Refused("NO_MESSAGE_STORE")
  }

  private def stepTo(messages: Seq[Message], watermark: Watermark, now: Option[Long]): Emission = {
    val sorted   = messages.sorted(order).toIndexedSeq
    val all      = sorted.map(message => (entry(message), message))
    val entries  = all.map(_._1).groupBy(entry => shardOf(entry.key))
    val progress = messages.flatMap(CoreStores.origin).map(at => Progress(at.partition, at.offset, at.offset))
    val effects = shards.indices.flatMap { index =>
      shards(index).step(entries.getOrElse(index, Nil).iterator, watermark, now, progress).toVector
    }
    Emission(
      effects.collect { case Effect.Fire(pane) => shown(pane) },
      effects.collect { case Effect.Reject(entry, reason, _, _, _) =>
        all.collectFirst { case (one, message) if one eq entry => message.rejected(reason) }.get
      })
  }

  private val order = spec.window match {
    case _: TupleWindows => Message.ByPosition
    case _               => Message.Order
  }

  private def shown(pane: Pane[Key, Content]): Emission.ContentPane = {
    val value = (pane.value, pane.message) match {
      case (Content.Values(values, _), Some(bytes)) =>
        val message = MessageCodec.read(ByteReader(bytes))
        Content.Values(values, Some(OverMessage(message.time.get, message.value, message.partition, message.offset)))
      case (value, _) => value
    }
    pane.copy(key = CoreKey.read(pane.key), value = value, message = None, partition = None)
  }

  private def entry(message: Message): Entry[Buffer] = {
    val value = spec.window.rowValue.of(message.gap)
    Entry(
      CoreKey.write(message.key),
      message.time.filter(_ => value.isDefined),
      value.getOrElse(0L),
      count = 1,
      lift(message),
      raw = MessageCodec.bytes(message),
      CoreStores.origin(message),
      message.pane.map(pane => IncomingPane(pane.start, pane.end, pane.timing, pane.isRetraction, content(message))),
      mark(message))
  }

  private def mark(message: Message): Option[SessionMark] = spec.window match {
    case session: Session =>
      val out = new ByteWriter
      ReferenceCuts.values(session, message).foreach(ScalarCodec.write(_, out))
      Some(SessionMark(ReferenceCuts.ends(session, message), new Key(out.result())))
    case _ => None
  }

  /** The content by which a retraction finds its pane. It omits the retraction flag and the offset, in which the two
    * differ.
    */
  private def content(message: Message): Key = {
    val out = new ByteWriter
    MessageCodec.write(message.copy(partition = None, offset = None), out)
    message.pane.foreach(pane => out.byte(pane.timing.code.toInt))
    new Key(out.result())
  }

  override protected def counters: Map[String, Long] =
    super.counters ++ spec.retention.windows.map(_ => Answer.OverRetention -> shards.map(_.overRetention).sum)
}

private[windrow] object CoreKey {
  def write(key: Scalar): Key = {
    val out = new ByteWriter
    ScalarCodec.write(key, out)
    new Key(out.result())
  }

  def read(key: Key): Scalar = ScalarCodec.read(ByteReader(key.bytes))
}
