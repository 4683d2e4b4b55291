package windrow.spark.query

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.apache.spark.sql.windrow.SparkInside
import org.apache.spark.unsafe.types.UTF8String
import windrow.core.store.StoredMessage
import windrow.core.time.Axis
import windrow.spark.output.OutputColumns
import windrow.spark.rows.RowShape
import windrow.{Unbounded, WindowKind}

/** A row of an answer with its place: the key of a window, or the position of a stored row. */
private[query] final class AnswerRow(place: => InternalRow, val row: InternalRow) {
  def under: InternalRow = place
}

/** Answers a question from the state of a shard, with rows of one type. Lookups inside a query and readers of a
  * checkpoint both use it.
  *
  * @tparam S
  *   what the shard must store
  */
private[spark] abstract class Answer[-S] extends Serializable {
  def rowType: StructType

  /** The types of a row's place. */
  private[query] def under: Seq[DataType]

  private[query] def find(kept: S, question: Question): Iterator[AnswerRow]

  final def apply(kept: S, question: Question): Seq[InternalRow] = find(kept, question).map(_.row).toVector
}

private[spark] object Answer {

  /** Time, source, partition and offset of a stored row. */
  private[query] val Position: Seq[DataType] = Seq(LongType, StringType, LongType, LongType)

  private[query] def position(one: StoredMessage): InternalRow = row(
    one.time,
    one.origin.map(from => UTF8String.fromString(from.partition.source)).orNull,
    boxed(one.origin.map(_.partition.number)),
    boxed(one.origin.map(_.offset)))

  private[query] def row(values: Any*): InternalRow = new GenericInternalRow(values.toArray[Any])

  private def boxed(number: Option[Long]): Any = number.map(Long.box).orNull

  /** Shows the bounds of windows of one kind. */
  private final class Bounds(kind: WindowKind, time: DataType) extends Serializable {
    val shown: StructType =
      OutputColumns.windowOf(kind, time, Literal(0L), Literal(0L)).dataType.asInstanceOf[StructType]

    /** The column with the name of one of several windows. */
    def names: Seq[StructField] =
      Option.when(kind.isNamed)(StructField(OutputColumns.WindowName, StringType, nullable = false)).toSeq

    /** The name of a window, if it has one, and its bounds. */
    def apply(name: Option[String], start: Long, end: Long): Seq[Any] =
      name.map(UTF8String.fromString).toSeq :+ (if (kind.bounds == Unbounded) row(null, null) else row(start, end))
  }

  /** Answers with windows.
    *
    * @param time
    *   type of the event-time column
    * @param value
    *   columns of a window's value
    * @param keys
    *   key columns of the operator
    */
  final case class Windows(kind: WindowKind, time: DataType, value: StructType, keys: StructType)
      extends Answer[WindowReader] {
    private val bounds = new Bounds(kind, time)
    private val shape  = RowShape(keys)

    val rowType: StructType = StructType(bounds.names ++ new StructType()
      .add("window", bounds.shown, nullable = false)
      .add("first_offset", LongType)
      .add("last_offset", LongType)
      .add("is_complete", BooleanType, nullable = false) ++ value)

    private[query] def under: Seq[DataType] = keys.map(_.dataType)

    private[query] def find(kept: WindowReader, question: Question): Iterator[AnswerRow] =
      kept.windows(question).map { one =>
        val window =
          row(bounds(one.name, one.start, one.end) ++ Seq(boxed(one.first), boxed(one.last), one.isComplete): _*)
        new AnswerRow(shape.of(one.key.bytes), new JoinedRow(window, one.value))
      }
  }

  /** The number of rows that a window of full state has ever accepted. */
  val Count: StructType = new StructType().add("count", LongType, nullable = false)

  /** Answers with stored rows.
    *
    * @param indexed
    *   the fields of a row that must have the values of the question
    */
  final case class Messages(message: StructType, axis: Axis, indexed: Seq[Int]) extends Answer[RowReader] {
    @transient private lazy val valuesOf = UnsafeProjection.create(indexed.map { i =>
      SparkInside.normalized(BoundReference(i, message(i).dataType, message(i).nullable))
    })

    private val shape  = RowShape(message)
    private val values = new RowShape(indexed.map(message(_).dataType))

    def rowType: StructType                 = message
    private[query] def under: Seq[DataType] = Position

    private[query] def find(kept: RowReader, question: Question): Iterator[AnswerRow] = {
      val wanted = question.by.map(values.of)
      kept.messages(question, axis).map(one => new AnswerRow(position(one), shape.of(one.payload)))
        .filter(found => wanted.forall(_ == valuesOf(found.row)))
    }
  }

  private val Moments: StructType =
    new StructType().add("watermark", TimestampType).add("processing_time", TimestampType)

  /** Answers with the firings that follow if no more rows arrive. */
  final case class Firings(kind: WindowKind, time: DataType, keys: StructType) extends Answer[WindowReader] {
    private val bounds = new Bounds(kind, time)
    private val shape  = RowShape(keys)

    val rowType: StructType = StructType(bounds.names ++ new StructType()
      .add("window", bounds.shown, nullable = false)
      .add("timing", StringType, nullable = false) ++ Moments)

    private[query] def under: Seq[DataType] = keys.map(_.dataType)

    private[query] def find(kept: WindowReader, question: Question): Iterator[AnswerRow] = kept.firings.map { one =>
      val timing = UTF8String.fromString(one.pending.timing.toString)
      new AnswerRow(
        shape.of(one.key.bytes),
        row(bounds(one.name, one.start, one.end) ++
          Seq(timing, boxed(one.pending.watermark), boxed(one.pending.processingTime)): _*))
    }
  }

  /** Answers with the rows that a join emits if no more rows arrive. Their place is the equality columns and the
    * position of their first row.
    */
  final case class ComingRows(join: JoinDescriptor) extends Answer[JoinSideReader] {

    /** The streams that a joined row shows. */
    private val shown: Seq[(String, StructType)] =
      join.spec.how.shown(join.spec.names.zip(join.sides.map(_.message)))

    private val keyShape = RowShape(join.keys)
    private val shapes   = shown.map { case (_, of) => RowShape(of) }

    def rowType: StructType = StructType(shown.map { case (name, of) => StructField(name, of) } ++ Moments)

    private[query] def under: Seq[DataType] = join.keys.map(_.dataType) ++ Position

    private[query] def find(kept: JoinSideReader, question: Question): Iterator[AnswerRow] = kept.coming.map { coming =>
      val first = coming.row.messages.flatten.head
      val messages = coming.row.messages.zip(shapes).map { case (message, shape) =>
        message.map(one => shape.of(one.payload)).orNull
      }
      new AnswerRow(
        new JoinedRow(keyShape.of(first.key.bytes), position(first)),
        row(messages :+ boxed(coming.watermark) :+ boxed(coming.processingTime): _*))
    }
  }

  /** Answers with the least stored offset of each source partition, and the offset after the greatest processed one. */
  case object Offsets extends Answer[MessageReader] {

    val rowType: StructType = new StructType()
      .add("source", StringType, nullable = false)
      .add("partition", LongType, nullable = false)
      .add("kept", LongType)
      .add("next", LongType, nullable = false)

    private[query] def under: Seq[DataType] = Nil

    private[query] def find(kept: MessageReader, question: Question): Iterator[AnswerRow] = {
      val from = kept.restartOffsets
      kept.nextOffsets.iterator.map { case (part, after) =>
        val least = boxed(from.get(part).filter(_ < after))
        new AnswerRow(InternalRow.empty, row(UTF8String.fromString(part.source), part.number, least, after))
      }
    }
  }
}
