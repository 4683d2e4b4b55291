package windrow.benchmarks.micro

import windrow.core.aggregate.Aggregation
import windrow.core.state.{ByteReader, ByteWriter, Key}

/** Count, sum and maximum in an array: the cheapest possible aggregation, so that the other costs show. */
final class Sums extends Aggregation[Array[Long], Long] {
  def zero: Array[Long]              = Array(0L, 0L, Long.MinValue)
  def lift(value: Long): Array[Long] = Array(1L, value, value)

  def combine(left: Array[Long], right: Array[Long]): Array[Long] = {
    left(0) += right(0)
    left(1) += right(1)
    left(2) = math.max(left(2), right(2))
    left
  }

  def copy(buffer: Array[Long]): Array[Long]            = buffer.clone()
  def lower(buffer: Array[Long]): Long                  = buffer(1)
  def write(buffer: Array[Long], out: ByteWriter): Unit = buffer.foreach(out.long)
  def read(in: ByteReader): Array[Long]                 = Array(in.long(), in.long(), in.long())
}

object Sums {

  /** Returns the i-th key. */
  def key(i: Int): Key = new Key(BigInt(i).toByteArray.reverse.padTo(16, 0.toByte))
}
