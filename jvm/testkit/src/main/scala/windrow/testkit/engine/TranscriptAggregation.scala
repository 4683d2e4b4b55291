package windrow.testkit

import java.nio.ByteBuffer
import windrow.core.aggregate.{Aggregation, Ordered, OrderedBuffer}
import windrow.core.state.{ByteReader, ByteWriter}
import windrow.testkit.Value.{Null, Real, Whole}

/** @param numbers
  *   count, sum, min and max of the messages' values; changed in place by `combine`
  * @param ordered
  *   the values themselves, in order; none if no aggregate asks for them
  */
final class TranscriptBuffer(val numbers: Array[Long], val ordered: OrderedBuffer[Vector[Long]])

/** The aggregates of a transcript as an aggregation of the core.
  *
  * @param aggregates
  *   name of the column and the function of [[ReferenceAggregates]]
  */
final class TranscriptAggregation(aggregates: Seq[(String, String)])
    extends Aggregation[TranscriptBuffer, Map[String, Value]] {

  private val ordered    = new Ordered(InOrder)
  private val keepsOrder = aggregates.exists { case (_, function) => !TranscriptAggregation.Numbers(function) }

  def lift(message: Message): TranscriptBuffer = {
    val value = message.value
    new TranscriptBuffer(
      Array(1L, value, value, value),
      if (keepsOrder) ordered.lift(TranscriptAggregation.position(message), Vector(value)) else ordered.zero)
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

  def lower(buffer: TranscriptBuffer): Map[String, Value] = {
    val values = ordered.lower(buffer.ordered)
    aggregates.map { case (name, function) =>
      name -> (if (TranscriptAggregation.Numbers(function)) number(function, buffer.numbers)
               else ReferenceAggregates(function, values))
    }.toMap
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

  private object InOrder extends Aggregation[Vector[Long], Vector[Long]] {
    def zero: Vector[Long]                                             = Vector.empty
    def combine(left: Vector[Long], right: Vector[Long]): Vector[Long] = left ++ right
    def copy(buffer: Vector[Long]): Vector[Long]                       = buffer
    def lower(buffer: Vector[Long]): Vector[Long]                      = buffer
    def write(buffer: Vector[Long], out: ByteWriter): Unit = {
      out.count(buffer.size.toLong)
      buffer.foreach(out.long)
    }
    def read(in: ByteReader): Vector[Long] = Vector.fill(in.count().toInt)(in.long())
  }
}

private object TranscriptAggregation {

  /** What count, sum, min and max are enough for. */
  val Numbers: Set[String] = Set("count", "sum", "min", "max", "avg")

  /** The position of a message in [[Message.Order]], as bytes that compare like it among messages of one key. */
  def position(message: Message): Array[Byte] = {
    val out = ByteBuffer.allocate(5 * 9)
    Seq(message.time, message.partition.map(_.toLong), message.offset, Some(message.value), message.gap).foreach {
      part =>
        out.put((if (part.isDefined) 1 else 0).toByte).putLong(part.getOrElse(0L) ^ Long.MinValue)
    }
    out.array
  }
}
