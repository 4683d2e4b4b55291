package windrow.spark.query

import org.apache.spark.sql.catalyst.InternalRow
import windrow.core.aggregate.{Aggregation, OrderedAggregation}
import windrow.core.fullstate.{FullStateShard, WindowMetadata}
import windrow.core.join.{JoinShards, PendingRow}
import windrow.core.operator.{OpenWindow, Origin}
import windrow.core.shard.Shard
import windrow.core.state.{Key, ShardStore}
import windrow.core.store.StoredMessage
import windrow.core.time.Axis
import windrow.core.trigger.PendingFiring
import windrow.spark.functions.{FunctionSet, ObjectAggregation, RowAggregation}
import windrow.{FullStateSpec, SourcePartition, WindowOperatorSpec}

/** A stored window.
  *
  * @param first
  *   the first offset of its rows, if they are stored
  * @param value
  *   the number of rows ever accepted, or the results of its aggregates
  * @param name
  *   the name, for one of several windows
  */
private[query] final case class KeptWindow(
    key: Key,
    start: Long,
    end: Long,
    first: Option[Long],
    last: Option[Long],
    isComplete: Boolean,
    value: InternalRow,
    name: Option[String] = None)

/** A firing that follows if no more rows arrive. */
private[query] final case class KeptFiring(
    key: Key,
    start: Long,
    end: Long,
    pending: PendingFiring,
    name: Option[String] = None)

/** A shard whose windows can be queried. */
private[query] trait WindowReader {
  def windows(question: Question): Iterator[KeptWindow]
  def firings: Iterator[KeptFiring]
}

/** A shard whose rows can be queried. */
private[query] trait RowReader {

  /** Returns stored rows in order. */
  def messages(question: Question, axis: Axis): Iterator[StoredMessage]
}

/** A shard that stores all rows of a range, and with that where its sources must be read again. */
private[query] trait MessageReader extends RowReader {

  /** The least stored offset of each source partition. */
  def restartOffsets: Map[SourcePartition, Long]

  /** The offset after the greatest processed one of each source partition. */
  def nextOffsets: Map[SourcePartition, Long]
}

/** Queries windows of aggregates. */
private[query] final class AggregateReader[B](spec: WindowOperatorSpec, shard: Shard[B, InternalRow])
    extends WindowReader {

  /** Returns windows without offsets. Aggregates do not record offsets, because every row would pay for a rare
    * question.
    */
  def windows(question: Question): Iterator[KeptWindow] = shard.openWindows.filter(one =>
    question.key.forall(_ == one.key) && one.bounds.meets(question.start, question.end))
    .map { one =>
      KeptWindow(one.key, one.bounds.start, shownEnd(one), None, None, one.isComplete, shard.value(one), one.name)
    }

  def firings: Iterator[KeptFiring] =
    shard.pending.map { case (one, pending) => KeptFiring(one.key, one.bounds.start, shownEnd(one), pending, one.name) }

  private def shownEnd(one: OpenWindow[B]): Long = spec.window.bounds.shownEnd(one.bounds)
}

private[query] object AggregateReader {

  /** Opens the windows in a shard's store.
    *
    * @param ordered
    *   whether rows keep their place in the order, because an aggregate depends on it
    */
  def apply(
      spec: WindowOperatorSpec,
      functions: FunctionSet,
      ordered: Boolean,
      store: ShardStore): AggregateReader[_] = {
    def over[L](plain: Aggregation[L, InternalRow]) =
      if (ordered) opened(new OrderedAggregation(plain)) else opened(plain)
    def opened[B](aggregation: Aggregation[B, InternalRow]) =
      new AggregateReader(spec, new Shard[B, InternalRow](spec, aggregation, store))
    if (functions.fixedWidth) over(new RowAggregation(functions)) else over(new ObjectAggregation(functions))
  }
}

/** Queries full state. */
private[spark] final class FullStateReader(shard: FullStateShard) extends WindowReader with MessageReader {
  def this(spec: FullStateSpec, store: ShardStore) = this(new FullStateShard(spec, store))

  def windows(question: Question): Iterator[KeptWindow] =
    shard.getWindows(question.start, question.end, question.key).iterator.map(window)

  private def window(one: WindowMetadata): KeptWindow = {
    val spans = one.offsets.values
    KeptWindow(
      one.key,
      one.start,
      one.end,
      spans.map(_.first).minOption,
      spans.map(_.last).maxOption,
      one.isComplete,
      InternalRow(one.count))
  }

  def firings: Iterator[KeptFiring] =
    shard.pending.map { case (one, pending) => KeptFiring(one.key, one.start, one.end, pending) }

  def messages(question: Question, axis: Axis): Iterator[StoredMessage] =
    shard.getMessages(question.start, question.end, question.key, axis).iterator

  def restartOffsets: Map[SourcePartition, Long] = shard.restartOffsets
  def nextOffsets: Map[SourcePartition, Long]    = shard.nextOffsets
}

/** Queries one stream of a join. */
private[query] final class JoinSideReader(held: StateDescriptor.JoinState, store: ShardStore) extends MessageReader {

  /** Considers no key as null, because the shard receives no rows. */
  private val shard = JoinShards(held.join.spec, store, _ => false)

  def messages(question: Question, axis: Axis): Iterator[StoredMessage] =
    shard.getMessages(held.number, question.start, question.end, question.key, axis).iterator

  /** Restart offsets. The source of a row belongs to its stream (SEMANTICS R42). */
  def restartOffsets: Map[SourcePartition, Long] = shard.restartOffsets
  def nextOffsets: Map[SourcePartition, Long] = shard.nextOffsets.filter { case (from, _) =>
    Origin.streamOf(from.source, held.join.spec.names) == held.number
  }

  /** Returns the pending rows that contain a row of the stream. */
  def coming: Iterator[PendingRow] = shard.pending.filter(_.row.messages.lift(held.number).exists(_.isDefined))
}
