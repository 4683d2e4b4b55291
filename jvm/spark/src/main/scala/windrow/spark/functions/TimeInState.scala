package windrow.spark.functions

import java.util.{HashMap => JHashMap}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.ImperativeAggregate
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, GenericArrayData, TypeUtils, UnsafeRowUtils}
import org.apache.spark.sql.types._
import scala.collection.mutable.ArrayBuffer
import windrow.TimeSpan
import windrow.core.state.{ByteReader, ByteWriter}
import windrow.spark.rows.{RowShape, Rows}

/** The seconds that a value has spent in each of its states (SEMANTICS R113). Each state is stored once. */
private[spark] final case class TimeInState(
    value: Expression,
    time: Expression,
    carry: Option[TimeSpan] = None,
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0)
    extends OverTime[TimedStates] {

  protected def requiredType: Option[String] = value.dataType match {
    case BooleanType | ByteType | ShortType | IntegerType | LongType | DateType | TimestampType | TimestampNTZType |
        _: DecimalType =>
      None
    case text: StringType if UnsafeRowUtils.isBinaryStable(text) => None
    case _ => Some("\"BOOLEAN\" or \"STRING\" or \"INTEGRAL\" or \"DECIMAL\" or \"DATE\" or \"TIMESTAMP\"")
  }

  @transient private lazy val order   = TypeUtils.getInterpretedOrdering(value.dataType)
  @transient private lazy val types   = Array(value.dataType)
  @transient private lazy val shape   = new RowShape(types.toSeq)
  @transient private lazy val project = UnsafeProjection.create(types)

  override def dataType: DataType = MapType(value.dataType, DoubleType, valueContainsNull = false)
  override def nullable: Boolean  = false
  override def defaultResult: Option[Literal] =
    Some(Literal(
      new ArrayBasedMapData(new GenericArrayData(Array.empty[Any]), new GenericArrayData(Array.empty[Any])),
      dataType))

  override def createAggregationBuffer(): TimedStates = new TimedStates(order)

  protected def add(buffer: TimedStates, time: Long, value: Any): Unit =
    buffer.values.add(time, buffer.numberOf(value))

  override def merge(buffer: TimedStates, other: TimedStates): TimedStates = {
    val numbers = other.states.map(buffer.numberOf)
    buffer.values.addAll(other.values)(number => numbers(number.toInt))
    buffer
  }

  /** Returns the states in their order. A state that no longer holds at any time is not shown. */
  def evalUntil(buffer: TimedStates, end: Option[Long]): Any = {
    val micros = new Array[Long](buffer.states.size)
    val isHeld = new Array[Boolean](buffer.states.size)
    val values = buffer.values.whole
    (0 until values.size).foreach { at =>
      val state = values.value(at).toInt
      micros(state) += values.until(at, end) - values.time(at)
      isHeld(state) = true
    }
    val shown = micros.indices.filter(isHeld(_)).sortBy(buffer.states(_))(order)
    new ArrayBasedMapData(
      new GenericArrayData(shown.map(buffer.states(_)).toArray[Any]),
      new GenericArrayData(shown.map(micros(_) / 1e6).toArray[Any]))
  }

  def lastOf(buffer: TimedStates): Option[TimedStates] = Option.unless(buffer.values.isEmpty) {
    val (one, last) = (createAggregationBuffer(), buffer.values.size - 1)
    one.values.add(buffer.values.time(last), one.numberOf(buffer.states(buffer.values.value(last).toInt)))
    one
  }

  def carriedTo(start: Long, last: TimedStates): Option[TimedStates] =
    Option.when(isNear(last.values.time(0), start)) {
      val one = createAggregationBuffer()
      one.values.carry(start, one.numberOf(last.states(last.values.value(0).toInt)))
      one
    }

  protected def writeTo(buffer: TimedStates, out: ByteWriter): Unit = {
    out.count(buffer.states.size.toLong)
    buffer.states.foreach(state => Rows.write(project(InternalRow(state)), out))
    buffer.values.write(out, carry.isDefined)(out.count)
  }

  protected def readFrom(in: ByteReader): TimedStates = {
    val buffer = createAggregationBuffer()
    val states = in.size()
    (0 until states).foreach { at =>
      val state = shape.read(in).get(0, value.dataType)
      if (state == null || buffer.numberOf(state) != at) throw in.damaged("its states are not distinct")
    }
    buffer.values.read(in, carry.isDefined) {
      val number = in.count()
      if (number < 0 || number >= states) throw in.damaged("it has an unknown state")
      number
    }
    buffer
  }

  override def prettyName: String = TimeInState.Name

  override protected def withNewChildrenInternal(left: Expression, right: Expression): Expression =
    copy(value = left, time = right)
  override def withNewMutableAggBufferOffset(offset: Int): ImperativeAggregate = copy(mutableAggBufferOffset = offset)
  override def withNewInputAggBufferOffset(offset: Int): ImperativeAggregate   = copy(inputAggBufferOffset = offset)
}

private[spark] object TimeInState {
  val Name = "windrow_time_in_state"
}

/** The states of a key by time, as numbers, and the state for which each number stands. */
private[spark] final class TimedStates(order: Ordering[Any]) {
  val states              = new ArrayBuffer[Any]
  private val numbers     = new JHashMap[Any, Long]
  val values: TimedValues = new TimedValues((one, other) => order.compare(states(one.toInt), states(other.toInt)))

  /** The number of a state, which is added if it is new. */
  def numberOf(state: Any): Long =
    if (numbers.containsKey(state)) numbers.get(state)
    else {
      val own = InternalRow.copyValue(state)
      numbers.put(own, states.size.toLong)
      states += own
      states.size - 1L
    }
}
