package windrow.spark.functions

import java.util.Arrays
import windrow.core.state.{ByteReader, ByteWriter}

/** Values sorted by time, with one value for each time: the greatest. The result of adding values therefore depends
  * neither on their order nor on their grouping. A value is a number, or a number that stands for a value.
  */
private[spark] final class TimedValues(order: TimedValues.Order) {
  private var count  = 0
  private var times  = new Array[Long](1)
  private var values = new Array[Long](1)

  /** The value that holds at the start of the window because of an earlier row, with that start. */
  private var carried = Option.empty[(Long, Long)]

  def size: Int              = count
  def isEmpty: Boolean       = count == 0
  def time(at: Int): Long    = times(at)
  def value(at: Int): Long   = values(at)
  private def lastTime: Long = times(count - 1)

  def add(time: Long, value: Long): Unit =
    if (isEmpty || time > lastTime) insert(count, time, value)
    else {
      val at = Arrays.binarySearch(times, 0, count, time)
      if (at < 0) insert(-at - 1, time, value)
      else if (order.compare(value, values(at)) > 0) values(at) = value
    }

  private def insert(at: Int, time: Long, value: Long): Unit = {
    reserve(count + 1)
    if (at < count) {
      System.arraycopy(times, at, times, at + 1, count - at)
      System.arraycopy(values, at, values, at + 1, count - at)
    }
    times(at) = time
    values(at) = value
    count += 1
  }

  private def reserve(size: Int): Unit = if (size > times.length) {
    val space = math.max(size, times.length * 2)
    times = Arrays.copyOf(times, space)
    values = Arrays.copyOf(values, space)
  }

  /** Lets a value hold from a start to the first value. */
  def carry(start: Long, value: Long): Unit = carried = Some((start, value))

  /** The value that is carried. */
  def earlier: Option[Long] = carried.map(_._2)

  /** The values of its own rows, in order. */
  def all: Iterator[Long] = Iterator.range(0, count).map(value)

  /** All values, including the one that is carried unless another one has its time. */
  def whole: TimedValues = carried.filter(isEmpty || _._1 < times(0)).fold(this) { case (start, value) =>
    val all = new TimedValues(order)
    all.add(start, value)
    all.addAll(this)(identity)
    all
  }

  /** Adds all values of another collection, each after a conversion. */
  def addAll(other: TimedValues)(convert: Long => Long): Unit = {
    if (carried.isEmpty) carried = other.carried.map { case (start, value) => (start, convert(value)) }
    addOwn(other)(convert)
  }

  private def addOwn(other: TimedValues)(convert: Long => Long): Unit =
    if (other.size > TimedValues.Few && !isEmpty && other.time(0) <= lastTime) merge(other)(convert)
    else {
      reserve(count + other.size)
      (0 until other.size).foreach(at => add(other.time(at), convert(other.value(at))))
    }

  private def merge(other: TimedValues)(convert: Long => Long): Unit = {
    val (ourTimes, ourValues, ours) = (times, values, count)
    times = new Array[Long](ours + other.size)
    values = new Array[Long](ours + other.size)
    count = 0
    var (our, their) = (0, 0)
    while (our < ours || their < other.size)
      if (their == other.size || (our < ours && ourTimes(our) <= other.time(their))) {
        add(ourTimes(our), ourValues(our))
        our += 1
      } else {
        add(other.time(their), convert(other.value(their)))
        their += 1
      }
  }

  /** The time until which a value holds: that of the next value, or the end if it is known and later. */
  def until(at: Int, end: Option[Long]): Long =
    if (at + 1 < count) times(at + 1) else end.fold(times(at))(math.max(_, times(at)))

  /** @param carries
    *   whether a value can be carried, which is then written, too
    */
  def write(out: ByteWriter, carries: Boolean)(writeValue: Long => Unit): Unit = {
    if (carries) {
      out.byte(if (carried.isDefined) 1 else 0)
      carried.foreach { case (start, value) =>
        out.long(start)
        writeValue(value)
      }
    }
    out.count(count.toLong)
    (0 until count).foreach { at =>
      if (at == 0) out.long(times(0)) else out.count(times(at) - times(at - 1))
      writeValue(values(at))
    }
  }

  /** Reads values that [[write]] has written into an empty collection. */
  def read(in: ByteReader, carries: Boolean)(readValue: => Long): Unit = {
    if (carries && in.byte() == 1) carry(in.long(), readValue)
    val all = in.size()
    (0 until all).foreach { at =>
      val time = if (at == 0) in.long() else lastTime + in.count()
      if (at > 0 && time <= lastTime) throw in.damaged("its times are not in order")
      insert(count, time, readValue)
    }
    if (in.hasNext) throw in.damaged("it is too long")
  }
}

private[spark] object TimedValues {

  /** Compares two values that are stored as numbers. */
  trait Order {
    def compare(one: Long, other: Long): Int
  }

  /** Up to this number, values are added one by one. */
  private val Few = 8
}
