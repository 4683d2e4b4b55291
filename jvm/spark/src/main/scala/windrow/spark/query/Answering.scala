package windrow.spark.query

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.BoundReference
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.types._
import org.apache.spark.sql.windrow.SparkInside
import windrow.Unbounded
import windrow.WindowKind
import windrow.core.fullstate.FullStateShard
import windrow.core.fullstate.WindowMetadata
import windrow.core.time.Axis
import windrow.spark.rows.Rows

/** What a shard answers to a question: rows of one type, as the shard is after its step. */
private[spark] sealed trait Answering extends Serializable {
  def rowType: StructType

  /** How to find them; made once in each task. */
  def finder(): (FullStateShard, Question) => Seq[InternalRow]
}

private[spark] object Answering {

  /** @param joinKeys
    *   which fields of a message must be as the question says
    */
  final case class Messages(message: StructType, axis: Axis, joinKeys: Seq[Int]) extends Answering {
    def rowType: StructType = message

    def finder(): (FullStateShard, Question) => Seq[InternalRow] = {
      val valuesOf = UnsafeProjection.create(joinKeys.map { i =>
        SparkInside.normalized(BoundReference(i, message(i).dataType, message(i).nullable))
      })
      (shard, question) => {
        val found = shard.getMessages(question.start, question.end, Some(question.key), axis)
          .map(one => Rows.of(one.payload, message.size))
        if (joinKeys.isEmpty) found
        else {
          val wanted = Rows.of(question.joinKeys, joinKeys.size)
          found.filter(valuesOf(_) == wanted)
        }
      }
    }
  }

  /** @param window
    *   type of the column `window`
    */
  final case class Windows(kind: WindowKind, window: StructType) extends Answering {

    def rowType: StructType = new StructType()
      .add("window", window, nullable = false)
      .add("first_offset", LongType)
      .add("last_offset", LongType)
      .add("is_complete", BooleanType, nullable = false)
      .add("count", LongType, nullable = false)

    def finder(): (FullStateShard, Question) => Seq[InternalRow] =
      (shard, question) => shard.getWindows(question.start, question.end, Some(question.key)).map(row)

    private def row(one: WindowMetadata): InternalRow = {
      val bounds = if (kind.bounds == Unbounded) Array[Any](null, null) else Array[Any](one.start, one.end)
      new GenericInternalRow(Array[Any](
        new GenericInternalRow(bounds),
        one.offsets.values.map(_.first).minOption.map(Long.box).orNull,
        one.offsets.values.map(_.last).maxOption.map(Long.box).orNull,
        one.isComplete,
        one.count))
    }
  }
}
