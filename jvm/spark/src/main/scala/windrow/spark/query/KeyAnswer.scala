package windrow.spark.query

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.JoinedRow
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import windrow.core.pattern.StoredMatch
import windrow.spark.query.Answer.{Position, position, row}
import windrow.spark.rows.RowShape

/** Answers from the state of an operator that stores rows or times by key. */
private[query] object KeyAnswer {

  /** Answers with the stored keys. Their place is the key.
    *
    * @param time
    *   the type of the event time
    */
  final case class StoredKeys(of: KeyedSpec, time: DataType, keys: StructType) extends Answer[KeyReader] {
    private val shape = RowShape(keys)

    private val isMatch = of match {
      case _: KeyedSpec.Match => true
      case _: KeyedSpec.Dedup => false
    }

    private val matchType = ArrayType(
      new StructType()
        .add("start", time, nullable = false)
        .add("end", time, nullable = false)
        .add("names", ArrayType(StringType, containsNull = false), nullable = false),
      containsNull = false)

    val rowType: StructType = {
      val times = new StructType().add("first_time", time, nullable = false).add("last_time", time, nullable = false)
      val sizes = (if (isMatch) times else times.add("times", LongType, nullable = false))
        .add("rows", LongType, nullable = false).add("bytes", LongType, nullable = false)
      (if (isMatch) sizes.add("matches", matchType, nullable = false) else sizes)
        .add("watermark", TimestampType, nullable = false)
    }

    private[query] def under: Seq[DataType] = keys.map(_.dataType)

    private[query] def find(kept: KeyReader, question: Question): Iterator[AnswerRow] =
      kept.keys(question.key).map { one =>
        val times = Seq(one.times.head, one.times.last)
        val sizes = Seq[Any](one.rows.size.toLong, one.rows.map(_.payload.length.toLong).sum)
        val own: Seq[Any] =
          if (isMatch) sizes :+ new GenericArrayData(one.matches.map(shown).toArray[Any])
          else one.times.size.toLong +: sizes
        new AnswerRow(shape.of(one.key.bytes), row(times ++ own :+ one.watermark: _*))
      }

    private def shown(one: StoredMatch): Any = row(
      one.rows.head.time,
      one.rows.last.time,
      new GenericArrayData(one.names.map(UTF8String.fromString).toArray[Any]))
  }

  /** Answers with the rows that a deduplication will emit, or with the keys whose matches or rows will change, if no more
    * rows arrive. Their place is the key and the position of the row.
    */
  final case class Deadlines(of: KeyedSpec, message: StructType, keys: StructType) extends Answer[KeyReader] {
    private val keyShape = RowShape(keys)
    private val shape    = RowShape(message)

    private val withRows = of match {
      case _: KeyedSpec.Match => false
      case _: KeyedSpec.Dedup => true
    }

    val rowType: StructType = {
      val rows = if (withRows) new StructType().add("message", message, nullable = false) else new StructType()
      rows.add("watermark", TimestampType, nullable = false)
    }

    private[query] def under: Seq[DataType] = keys.map(_.dataType) ++ (if (withRows) Position else Nil)

    private[query] def find(kept: KeyReader, question: Question): Iterator[AnswerRow] = kept.deadlines.map { one =>
      val key  = keyShape.of(one.key.bytes)
      def at   = one.row.fold[InternalRow](key)(found => new JoinedRow(key, position(found)))
      val rows = one.row.map(found => shape.of(found.payload)).toSeq: Seq[Any]
      new AnswerRow(at, row(rows :+ one.watermark: _*))
    }
  }
}
