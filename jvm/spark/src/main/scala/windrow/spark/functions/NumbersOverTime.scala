package windrow.spark.functions

import java.lang.Double.{doubleToLongBits, longBitsToDouble}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.ImperativeAggregate
import org.apache.spark.sql.catalyst.util.MathUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import windrow.TimeSpan
import windrow.core.state.{ByteReader, ByteWriter}

/** An aggregate over numbers in the order of their times. */
private[spark] abstract class NumbersOverTime extends OverTime[TimedValues] {

  /** Whether values are stored as 64-bit integers. Otherwise, they are stored as the bits of doubles. */
  protected def isWhole: Boolean

  protected def requiredType: Option[String] = value.dataType match {
    case _: NumericType => None
    case _              => Some("\"NUMERIC\"")
  }

  @transient private lazy val order: TimedValues.Order =
    if (isWhole) java.lang.Long.compare(_, _)
    else (one, other) => java.lang.Double.compare(longBitsToDouble(one), longBitsToDouble(other))

  override def createAggregationBuffer(): TimedValues = new TimedValues(order)

  protected def add(buffer: TimedValues, time: Long, value: Any): Unit = buffer.add(
    time,
    value match {
      case decimal: Decimal          => doubleToLongBits(decimal.toDouble)
      case number: Number if isWhole => number.longValue
      case number: Number            => doubleToLongBits(number.doubleValue)
      case other                     => throw new IllegalStateException(s"not a number: $other")
    })

  override def merge(buffer: TimedValues, other: TimedValues): TimedValues = {
    buffer.addAll(other)(identity)
    buffer
  }

  def lastOf(buffer: TimedValues): Option[TimedValues] = Option.unless(buffer.isEmpty) {
    val one = createAggregationBuffer()
    one.add(buffer.time(buffer.size - 1), buffer.value(buffer.size - 1))
    one
  }

  def carriedTo(start: Long, last: TimedValues): Option[TimedValues] = Option.when(isNear(last.time(0), start)) {
    val one = createAggregationBuffer()
    one.carry(start, last.value(0))
    one
  }

  protected def writeTo(buffer: TimedValues, out: ByteWriter): Unit = buffer.write(out, carry.isDefined)(out.long)

  protected def readFrom(in: ByteReader): TimedValues = {
    val buffer = createAggregationBuffer()
    buffer.read(in, carry.isDefined)(in.long())
    buffer
  }
}

/** The average of a value, weighted by the time for which it holds (SEMANTICS R112). */
private[spark] final case class TimeWeightedAverage(
    value: Expression,
    time: Expression,
    carry: Option[TimeSpan] = None,
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0)
    extends NumbersOverTime {
  protected def isWhole: Boolean = false

  override def dataType: DataType = DoubleType
  override def nullable: Boolean  = true

  /** Adds the distances to the first value, so that the average of a constant is exact. */
  def evalUntil(own: TimedValues, end: Option[Long]): Any = {
    val buffer = own.whole
    if (buffer.isEmpty) null
    else {
      val first      = longBitsToDouble(buffer.value(0))
      val base       = if (first.isNaN || first.isInfinite) 0.0 else first
      var (sum, all) = (0.0, 0L)
      (0 until buffer.size).foreach { at =>
        val held = buffer.until(at, end) - buffer.time(at)
        if (held > 0) {
          sum += (longBitsToDouble(buffer.value(at)) - base) * held.toDouble
          all += held
        }
      }
      if (all == 0) longBitsToDouble(buffer.value(buffer.size - 1)) else base + sum / all.toDouble
    }
  }

  override def prettyName: String = TimeWeightedAverage.Name

  override protected def withNewChildrenInternal(left: Expression, right: Expression): Expression =
    copy(value = left, time = right)
  override def withNewMutableAggBufferOffset(offset: Int): ImperativeAggregate = copy(mutableAggBufferOffset = offset)
  override def withNewInputAggBufferOffset(offset: Int): ImperativeAggregate   = copy(inputAggBufferOffset = offset)
}

private[spark] object TimeWeightedAverage {
  val Name = "windrow_time_weighted_average"
}

/** The increase of a counter that restarts at 0 (SEMANTICS R114), also from the last value before the window if it is
  * carried (R166).
  *
  * @param isAnsi
  *   whether an overflow of 64 bits is an error. Otherwise, it wraps around, as in Spark's sum.
  */
private[spark] final case class Increase(
    value: Expression,
    time: Expression,
    carry: Option[TimeSpan] = None,
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0,
    isAnsi: Boolean = SQLConf.get.ansiEnabled)
    extends NumbersOverTime {
  protected def isWhole: Boolean = value.dataType match {
    case ByteType | ShortType | IntegerType | LongType => true
    case _                                             => false
  }

  override def dataType: DataType = if (isWhole) LongType else DoubleType
  override def nullable: Boolean  = true

  def evalUntil(buffer: TimedValues, end: Option[Long]): Any = {
    val values = buffer.earlier.iterator ++ buffer.all
    if (!values.hasNext) null else if (isWhole) Long.box(wholes(values)) else Double.box(doubles(values))
  }

  private def wholes(values: Iterator[Long]): Long = {
    var (before, sum) = (values.next(), 0L)
    values.foreach { now =>
      val more = if (now < before) now else if (isAnsi) MathUtils.subtractExact(now, before) else now - before
      sum = if (isAnsi) MathUtils.addExact(sum, more) else sum + more
      before = now
    }
    sum
  }

  private def doubles(values: Iterator[Long]): Double = {
    var (before, sum) = (longBitsToDouble(values.next()), 0.0)
    values.map(longBitsToDouble).foreach { now =>
      sum += (if (now < before) now else now - before)
      before = now
    }
    sum
  }

  override def prettyName: String = Increase.Name

  override protected def withNewChildrenInternal(left: Expression, right: Expression): Expression =
    copy(value = left, time = right)
  override def withNewMutableAggBufferOffset(offset: Int): ImperativeAggregate = copy(mutableAggBufferOffset = offset)
  override def withNewInputAggBufferOffset(offset: Int): ImperativeAggregate   = copy(inputAggBufferOffset = offset)
}

private[spark] object Increase {
  val Name = "windrow_increase"
}
