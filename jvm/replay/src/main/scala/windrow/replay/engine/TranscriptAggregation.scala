package windrow.replay

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import windrow.Guards
import windrow.core.aggregate.{Aggregation, BufferStorage, OrderedAggregation, OrderedBuffer}
import windrow.core.state.{ByteReader, ByteWriter, Pieces}
import windrow.replay.Value.{Null, Real, Text, Whole}

/** @param numbers
  *   count, sum, min and max of the messages' values; `combine` changes them in place
  * @param ordered
  *   the values themselves, in order; empty if no aggregate needs them
  */
final class TranscriptBuffer(val numbers: Array[Long], val ordered: OrderedBuffer[Vector[Scalar]])

/** The aggregates of a transcript as an aggregation of the core.
  *
  * @param aggregates
  *   name of the column and the function of [[ReferenceAggregates]]
  * @param position
  *   the position of a message in its window, as bytes; messages with equal positions keep the order of arrival
  * @param pieceBytes
  *   bytes of a separately stored piece of the ordered values
  */
final class TranscriptAggregation private (
    aggregates: Seq[(String, String)],
    position: Message => Array[Byte],
    ordered: OrderedAggregation[Vector[Scalar], Vector[Scalar]])
    extends Aggregation[TranscriptBuffer, Content] {

  def this(
      aggregates: Seq[(String, String)],
      position: Message => Array[Byte] = TranscriptAggregation.position,
      pieceBytes: Int = 4096) =
    this(aggregates, position, new OrderedAggregation(TranscriptAggregation.InOrder, pieceBytes))

  private val keepsOrder = aggregates.exists { case (_, function) => !TranscriptAggregation.Numbers(function) }

  def lift(message: Message): TranscriptBuffer = {
    val number = message.value match {
      case Whole(number) => number
      case _             => 0L // a text is only counted, or kept in order
    }
    new TranscriptBuffer(
      Array(1L, number, number, number),
      if (keepsOrder) ordered.lift(position(message), Vector(message.value)) else ordered.zero)
  }

  def zero: TranscriptBuffer = new TranscriptBuffer(Array(0L, 0L, Long.MaxValue, Long.MinValue), ordered.zero)

  def combine(left: TranscriptBuffer, right: TranscriptBuffer): TranscriptBuffer = {
    val (ours, theirs) = (left.numbers, right.numbers)
    ours(0) += theirs(0)
    ours(1) = Math.addExact(ours(1), theirs(1))
    ours(2) = math.min(ours(2), theirs(2))
    ours(3) = math.max(ours(3), theirs(3))
    new TranscriptBuffer(ours, ordered.combine(left.ordered, right.ordered))
  }

  def copy(buffer: TranscriptBuffer): TranscriptBuffer =
    new TranscriptBuffer(buffer.numbers.clone(), ordered.copy(buffer.ordered))

  def lower(buffer: TranscriptBuffer): Content = {
    val values = ordered.lower(buffer.ordered)
    Content.Values(aggregates.map { case (name, function) =>
      name -> (if (TranscriptAggregation.Numbers(function)) number(function, buffer.numbers)
               else ReferenceAggregates(function, values))
    }.toMap)
  }

  private def number(function: String, numbers: Array[Long]): Value =
    if (function == "count") Whole(numbers(0))
    else if (numbers(0) == 0) Null
    else function match {
      case "sum" => Whole(numbers(1))
      case "min" => Whole(numbers(2))
      case "max" => Whole(numbers(3))
      case _     => Real(numbers(1).toDouble / numbers(0).toDouble)
    }

  def write(buffer: TranscriptBuffer, out: ByteWriter): Unit = {
    buffer.numbers.foreach(out.long)
    ordered.write(buffer.ordered, out)
  }

  def read(in: ByteReader): TranscriptBuffer = new TranscriptBuffer(Array.fill(4)(in.long()), ordered.read(in))

  private[windrow] override val storage: Option[BufferStorage[TranscriptBuffer]] = ordered.storage.map(_.of(_.ordered))

  private[windrow] override def in(pieces: Pieces, guards: Guards): TranscriptAggregation =
    new TranscriptAggregation(aggregates, position, ordered.in(pieces, guards))
}

private[windrow] object TranscriptAggregation {

  /** The functions that need only count, sum, min and max. */
  val Numbers: Set[String] = Set("count", "sum", "min", "max", "avg")

  /** The position of a message in [[Message.Order]], as bytes with the same order among the messages of one key. */
  def position(message: Message): Array[Byte] = {
    def part(number: Option[Long]) = ByteBuffer.allocate(9)
      .put((if (number.isDefined) 1 else 0).toByte).putLong(number.getOrElse(0L) ^ Long.MinValue).array
    val value = message.value match {
      case Null          => Array[Byte](0)
      case Whole(number) => 1.toByte +: part(Some(number))
      case Text(text)    => 2.toByte +: text.getBytes(UTF_8) :+ 0.toByte
    }
    part(message.time) ++ part(message.partition.map(_.toLong)) ++ part(message.offset) ++ value ++ part(message.gap)
  }

  private object InOrder extends Aggregation[Vector[Scalar], Vector[Scalar]] {
    def zero: Vector[Scalar]                                                 = Vector.empty
    def combine(left: Vector[Scalar], right: Vector[Scalar]): Vector[Scalar] = left ++ right
    def copy(buffer: Vector[Scalar]): Vector[Scalar]                         = buffer
    def lower(buffer: Vector[Scalar]): Vector[Scalar]                        = buffer
    def write(buffer: Vector[Scalar], out: ByteWriter): Unit = {
      out.count(buffer.size.toLong)
      buffer.foreach(ScalarCodec.write(_, out))
    }
    def read(in: ByteReader): Vector[Scalar] = Vector.fill(in.count().toInt)(ScalarCodec.read(in))
  }
}
