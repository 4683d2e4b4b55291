package windrow.spark.query

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import windrow.CheckpointError
import windrow.FullStateSpec
import windrow.SourcePartition
import windrow.WindowOperatorSpec
import windrow.core.aggregate.Aggregation
import windrow.core.aggregate.Ordered
import windrow.core.fullstate.FullStateShard
import windrow.core.shard.Shard
import windrow.core.state.DamagedStateError
import windrow.core.state.InMemoryShardStore
import windrow.core.state.Key
import windrow.core.state.ShardStore
import windrow.core.time.Axis
import windrow.core.store.StoredMessage
import windrow.core.trigger.Pending
import windrow.spark.functions.FunctionSet
import windrow.spark.functions.ObjectAggregation
import windrow.spark.functions.RowAggregation
import windrow.spark.rows.Rows

/** A closed range on an axis and a key; None: open, and all keys. */
private[query] final case class Sought(start: Option[Long], end: Option[Long], key: Option[Array[Byte]]) {
  def keyBytes: Option[Key] = key.map(new Key(_))
}

/** What a shard answers: rows of fixed types, as bytes. */
private[query] trait Answer extends Serializable {
  def types: Seq[DataType]

  /** Whether it looks into a space of the store. */
  def needs(space: String): Boolean
  def rows(store: ShardStore): Iterator[InternalRow]
}

private[query] object Answer {

  /** key columns; start, end, first offset, last offset, is complete */
  val Window: Seq[DataType] = Seq(LongType, LongType, LongType, LongType, BooleanType)

  /** key columns; start, end, timing, watermark, processing time */
  val PaneState: Seq[DataType] = Seq(LongType, LongType, StringType, LongType, LongType)

  /** time, source, partition, offset; then the message */
  val Position: Seq[DataType] = Seq(LongType, StringType, LongType, LongType)

  /** source, partition, the least offset that is kept, the one after the greatest that was applied */
  val Replay: Seq[DataType] = Seq(StringType, LongType, LongType, LongType)

  private[query] def row(values: Any*): InternalRow = new GenericInternalRow(values.toArray[Any])

  private[query] def boxed(number: Option[Long]): Any = number.map(Long.box).orNull

  private[query] def keyed(key: Key, width: Int, rest: InternalRow): InternalRow =
    new JoinedRow(Rows.of(key.bytes, width), rest)

  /** `Position`, then the message. */
  private[query] def message(one: StoredMessage, width: Int): InternalRow =
    new JoinedRow(position(one), row(Rows.of(one.payload, width)))

  private[query] def position(one: StoredMessage): InternalRow = row(
    one.time,
    one.origin.map(from => UTF8String.fromString(from.source)).orNull,
    boxed(one.origin.map(_.partition.number)),
    boxed(one.origin.map(_.offset)))

  /** `Replay` of those that have one. */
  private[query] def replay(
      from: Map[SourcePartition, Long],
      next: Map[SourcePartition, Long]): Iterator[InternalRow] =
    next.iterator.map { case (of, after) =>
      row(UTF8String.fromString(of.source), of.number, boxed(from.get(of).filter(_ < after)), after)
    }

  private[query] def paneState(start: Long, end: Long, pending: Pending): InternalRow = row(
    start,
    end,
    UTF8String.fromString(pending.timing.toString),
    boxed(pending.watermark),
    boxed(pending.processingTime))
}

/** Runs an answer over what is stored of a shard. */
private[query] final class AnswerShards(answer: Answer, path: String)
    extends ((Int, Iterator[StoredValue]) => IterableOnce[Array[Byte]])
    with Serializable {

  @transient private lazy val written = UnsafeProjection.create(answer.types.toArray)

  def apply(shard: Int, values: Iterator[StoredValue]): Iterator[Array[Byte]] = {
    val store = new InMemoryShardStore
    values.foreach(value =>
      if (value.space == null) store.putHeader(value.bytes) else store.space(value.space).put(value.id, value.bytes))
    try answer.rows(store).map(written(_).copy().getBytes).toVector.iterator
    catch {
      case wrong: DamagedStateError => throw new CheckpointError(s"${wrong.getMessage} In shard $shard of '$path'.")
    }
  }
}

/** Windows of aggregates. */
private[query] abstract class OfAggregates(
    spec: WindowOperatorSpec,
    functions: FunctionSet,
    ordered: Boolean)
    extends Answer {

  protected def answer[B](shard: Shard[B, InternalRow]): Iterator[InternalRow]

  final def needs(space: String): Boolean = true

  final def rows(store: ShardStore): Iterator[InternalRow] =
    if (functions.fixedWidth) over(store, new RowAggregation(functions))
    else over(store, new ObjectAggregation(functions))

  private def over[L](store: ShardStore, plain: Aggregation[L, InternalRow]): Iterator[InternalRow] =
    if (ordered) opened(store, new Ordered(plain)) else opened(store, plain)

  private def opened[B](store: ShardStore, aggregation: Aggregation[B, InternalRow]): Iterator[InternalRow] =
    answer(new Shard[B, InternalRow](spec, aggregation, store))
}

private[query] final class AggregatedWindows(
    spec: WindowOperatorSpec,
    functions: FunctionSet,
    ordered: Boolean,
    descriptor: StateDescriptor,
    asked: Sought)
    extends OfAggregates(spec, functions, ordered) {
  private val width = descriptor.keys.size

  def types: Seq[DataType] = descriptor.keys.map(_.dataType) ++ Answer.Window ++ functions.resultTypes

  protected def answer[B](shard: Shard[B, InternalRow]): Iterator[InternalRow] = {
    val key = asked.keyBytes
    shard.openWindows
      .filter(one =>
        key.forall(_ == one.key) && asked.end.forall(_ >= one.start) && asked.start.forall(spec.window.bounds.reach(
          one.end,
          _)))
      .map { one =>
        // Offsets are not counted for aggregates: nobody pays for what a lone question may want to know.
        val window = Answer.row(one.start, one.end, null, null, one.isComplete)
        Answer.keyed(one.key, width, new JoinedRow(window, shard.value(one.buffer)))
      }
  }

}

private[query] final class AggregatedPending(
    spec: WindowOperatorSpec,
    functions: FunctionSet,
    ordered: Boolean,
    descriptor: StateDescriptor)
    extends OfAggregates(spec, functions, ordered) {

  def types: Seq[DataType] = descriptor.keys.map(_.dataType) ++ Answer.PaneState

  protected def answer[B](shard: Shard[B, InternalRow]): Iterator[InternalRow] =
    shard.pending.map { case (one, pending) =>
      Answer.keyed(one.key, descriptor.keys.size, Answer.paneState(one.start, one.end, pending))
    }
}

/** Full state. */
private[query] abstract class OfMessages(spec: FullStateSpec) extends Answer {
  protected def answer(shard: FullStateShard): Iterator[InternalRow]

  /** When to look at a key again is nothing to ask for. */
  final def needs(space: String): Boolean = space != "periods"

  final def rows(store: ShardStore): Iterator[InternalRow] = answer(new FullStateShard(spec, store))
}

private[query] final class KeptWindows(spec: FullStateSpec, descriptor: StateDescriptor, asked: Sought)
    extends OfMessages(spec) {

  /** `Answer.Window`, and how many messages were ever accepted. */
  def types: Seq[DataType] = descriptor.keys.map(_.dataType) ++ Answer.Window :+ LongType

  protected def answer(shard: FullStateShard): Iterator[InternalRow] =
    shard.getWindows(asked.start, asked.end, asked.keyBytes).iterator.map { one =>
      Answer.keyed(
        one.key,
        descriptor.keys.size,
        Answer.row(
          one.start,
          one.end,
          Answer.boxed(one.offsets.values.map(_.first).minOption),
          Answer.boxed(one.offsets.values.map(_.last).maxOption),
          one.isComplete,
          one.count))
    }
}

private[query] final class KeptPending(spec: FullStateSpec, descriptor: StateDescriptor) extends OfMessages(spec) {

  def types: Seq[DataType] = descriptor.keys.map(_.dataType) ++ Answer.PaneState

  protected def answer(shard: FullStateShard): Iterator[InternalRow] = shard.pending.map { case (one, pending) =>
    Answer.keyed(one.key, descriptor.keys.size, Answer.paneState(one.start, one.end, pending))
  }
}

private[query] final class KeptMessages(
    spec: FullStateSpec,
    message: StructType,
    asked: Sought,
    axis: Axis)
    extends OfMessages(spec) {

  def types: Seq[DataType] = Answer.Position :+ message

  protected def answer(shard: FullStateShard): Iterator[InternalRow] =
    shard.getMessages(asked.start, asked.end, asked.keyBytes, axis).iterator.map(Answer.message(_, message.size))
}

private[query] final class KeptOffsets(spec: FullStateSpec) extends OfMessages(spec) {

  def types: Seq[DataType] = Answer.Replay

  protected def answer(shard: FullStateShard): Iterator[InternalRow] =
    Answer.replay(shard.replayOffsets, shard.nextOffsets)
}
