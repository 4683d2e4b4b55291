package windrow.operators

import windrow._
import windrow.core.join.{JoinEffect, JoinFingerprint, JoinShard}
import windrow.core.state.{Key, ShardStore, SpecFingerprint}
import windrow.core.store.Incoming
import windrow.core.time.{Axis, Watermark}

/** Joins two or more streams. Each match has one message for each stream, in order, or None for a stream without one;
  * for semi and anti joins it has only that of the first stream. `join` makes an output of a match, or None to emit
  * nothing.
  */
class StreamStreamJoinOperator[K, M, R](
    val spec: JoinSpec,
    format: MessageFormat[K, M],
    join: Vector[Option[M]] => Option[R],
    context: Context[M, R] = Context[M, R]())
    extends WindowOperator[M, R](context) {

  JoinCheck.standalone(spec)

  private val formatter = new Formatter(format)

  def inputStreams: Seq[String] = spec.names

  private final class Join(val shard: JoinShard) extends Core[M, R] {
    override def retired: Long                     = shard.retired
    override def overRetention: Long               = shard.overRetention
    def restartOffsets: Map[SourcePartition, Long] = shard.restartOffsets

    private def incoming(of: (String, M)): (Int, Incoming) = (spec.names.indexOf(of._1), formatter.incoming(of._2))

    def step(came: Arrivals[M], watermark: Watermark, processingTime: Option[Long]): Outcome[M, R] = {
      val filtered = came.withheld.map(incoming).count { case (stream, message) => shard.withhold(stream, message) }
      val effects  = shard.step(came.admitted.map(incoming).iterator, watermark, processingTime).toVector
      Outcome(
        effects.collect { case JoinEffect.Row(row) =>
          join(row.messages.map(_.map(message => formatter.message(message.payload))).toVector)
        }.flatten,
        effects.collect { case JoinEffect.Reject(_, entry, reason, _) =>
          Rejected(formatter.message(entry.payload), reason)
        },
        filtered)
    }
  }

  private[operators] def open(store: ShardStore): Core[M, R] =
    new Join(new JoinShard(
      spec,
      store,
      isNull,
      SpecFingerprint(
        "streams"      -> JoinFingerprint.streams(spec.streams),
        "range"        -> JoinFingerprint.range(spec.within),
        "kind"         -> spec.how.toString,
        "expectation"  -> JoinFingerprint.expected(spec.expect),
        "equal fields" -> (if (spec.hasKeys) "some" else "none"),
        "rows"         -> (if (spec.early.isInstanceOf[EveryPeriod]) "after a period" else "at once"))
        .and(JoinFingerprint.times(spec): _*),
      context.guards))

  private def isNull(key: Key): Boolean = format.hasNull(formatter.key(key))

  /** The messages of a stream in a closed range of event time (microseconds), in order. A bound of None is open. */
  def getMessages(stream: String, start: Option[Long], end: Option[Long], joinKeys: Option[K] = None): Seq[M] =
    query(stream, start, end, joinKeys, Axis.Time)

  /** The messages of a stream in a closed range of offsets, in order of offset. */
  def getMessagesByOffset(stream: String, start: Option[Long], end: Option[Long], joinKeys: Option[K] = None): Seq[M] =
    query(stream, start, end, joinKeys, Axis.Offset)

  private def query(stream: String, start: Option[Long], end: Option[Long], key: Option[K], axis: Axis): Seq[M] = {
    val of = spec.names.indexOf(stream)
    require(of >= 0, s"'$stream' is not a stream of this join. The streams are ${spec.names.mkString(", ")}")
    opened.asInstanceOf[Join].shard.getMessages(of, start, end, key.map(formatter.key(_: K)), axis)
      .map(message => formatter.message(message.payload))
  }
}
