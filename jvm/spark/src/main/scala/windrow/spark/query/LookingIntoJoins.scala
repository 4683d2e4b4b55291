package windrow.spark.query

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.expressions.JoinedRow
import org.apache.spark.sql.types._
import windrow.JoinKind
import windrow.core.join.JoinShard
import windrow.core.state.ShardStore
import windrow.core.time.Axis
import windrow.spark.rows.Rows

/** One stream of a join. */
private[query] abstract class OfSide(held: StateDescriptor.OfJoin) extends Answer {
  protected def answer(shard: JoinShard): Iterator[InternalRow]

  /** When to look at a key again is nothing to ask for. */
  final def needs(space: String): Boolean = space != "periods"

  /** Nothing comes in any more, so no key is ever matched. */
  final def rows(store: ShardStore): Iterator[InternalRow] =
    answer(new JoinShard(held.join.spec, store, _ => false))
}

private[query] final class SideMessages(held: StateDescriptor.OfJoin, asked: Sought, axis: Axis)
    extends OfSide(held) {

  def types: Seq[DataType] = Answer.Position :+ held.side.message

  protected def answer(shard: JoinShard): Iterator[InternalRow] =
    shard.getMessages(held.number, asked.start, asked.end, asked.keyBytes, axis).iterator
      .map(Answer.message(_, held.side.message.size))
}

/** The name of the stream is the source of its messages (SEMANTICS R42). */
private[query] final class SideOffsets(held: StateDescriptor.OfJoin, descriptor: StateDescriptor) extends OfSide(held) {

  def types: Seq[DataType] = Answer.Replay

  protected def answer(shard: JoinShard): Iterator[InternalRow] =
    Answer.replay(shard.replayOffsets, shard.nextOffsets.filter(_._1.source == descriptor.name))
}

/** Rows to come that have a message of the stream: equality fields, messages, watermark, processing time, and the position
  * of the first message.
  */
private[query] final class ComingRows(held: StateDescriptor.OfJoin, descriptor: StateDescriptor) extends OfSide(held) {

  /** Streams of which rows have messages. */
  val shown: Seq[(String, StructType)] = {
    val all = held.join.spec.names.zip(held.join.sides.map(_.message))
    held.join.spec.how match {
      case JoinKind.Semi | JoinKind.Anti => all.take(1)
      case _                             => all
    }
  }

  def types: Seq[DataType] =
    descriptor.keys.map(_.dataType) ++ shown.map(_._2) ++ Seq(LongType, LongType) ++ Answer.Position

  protected def answer(shard: JoinShard): Iterator[InternalRow] =
    shard.pending.filter(_.row.messages.lift(held.number).exists(_.isDefined)).map { coming =>
      val messages = coming.row.messages
      val first    = messages.flatten.head
      val shownMessages = messages.zip(shown).map { case (message, (_, of)) =>
        message.map(one => Rows.of(one.payload, of.size)).orNull
      }
      val moments = Answer.row(Answer.boxed(coming.watermark), Answer.boxed(coming.processingTime))
      Answer.keyed(
        first.key,
        descriptor.keys.size,
        new JoinedRow(
          new GenericInternalRow(shownMessages.toArray[Any]),
          new JoinedRow(moments, Answer.position(first))))
    }
}
