package windrow.core.aggregate

import java.util.Arrays
import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter

/** The lifted messages of a window in the order of SEMANTICS T, for aggregates to which the order shows (`collect_list`,
  * `first`): so the value is the same however the stream was cut into steps.
  *
  * @param orders
  *   for each message its position in that order, compared as unsigned bytes
  */
final class OrderedBuffer[B](val orders: Array[Array[Byte]], val lifted: Array[Any])

/** Wraps an aggregation; time and space of a window are those of its messages. */
final class Ordered[B, V](inner: Aggregation[B, V]) extends Aggregation[OrderedBuffer[B], V] {

  def lift(order: Array[Byte], lifted: B): OrderedBuffer[B] = new OrderedBuffer(Array(order), Array[Any](lifted))

  val zero: OrderedBuffer[B] = new OrderedBuffer(Array.empty, Array.empty)

  def combine(left: OrderedBuffer[B], right: OrderedBuffer[B]): OrderedBuffer[B] = {
    val size   = left.orders.length + right.orders.length
    val orders = new Array[Array[Byte]](size)
    val lifted = new Array[Any](size)
    var i, j   = 0
    while (i + j < size) {
      val takeLeft = j == right.orders.length ||
        (i < left.orders.length && Arrays.compareUnsigned(left.orders(i), right.orders(j)) <= 0)
      val (from, at) = if (takeLeft) (left, i) else (right, j)
      orders(i + j) = from.orders(at)
      lifted(i + j) = from.lifted(at)
      if (takeLeft) i += 1 else j += 1
    }
    new OrderedBuffer(orders, lifted)
  }

  def copy(buffer: OrderedBuffer[B]): OrderedBuffer[B] = buffer // never changed in place

  def lower(buffer: OrderedBuffer[B]): V =
    inner.lower(buffer.lifted.foldLeft(inner.zero)((sum, one) => inner.combine(sum, one.asInstanceOf[B])))

  def write(buffer: OrderedBuffer[B], out: ByteWriter): Unit = {
    out.count(buffer.orders.length.toLong)
    buffer.orders.indices.foreach { i =>
      out.bytes(buffer.orders(i))
      inner.write(buffer.lifted(i).asInstanceOf[B], out)
    }
  }

  def read(in: ByteReader): OrderedBuffer[B] = {
    val size   = in.count().toInt
    val orders = new Array[Array[Byte]](size)
    val lifted = new Array[Any](size)
    (0 until size).foreach { i =>
      orders(i) = in.bytes()
      lifted(i) = inner.read(in)
    }
    new OrderedBuffer(orders, lifted)
  }
}
