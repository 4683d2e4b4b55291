package windrow.operators

import windrow.core.aggregate.Aggregation
import windrow.core.state.{ByteReader, ByteWriter}

/** A sum of integers.
  *
  * @param isExact
  *   false if it is treated like a sum of floating-point numbers
  */
sealed class Sum(override val isExact: Boolean) extends Aggregation[Long, Long] {
  def zero: Long                                = 0
  def combine(left: Long, right: Long): Long    = left + right
  def copy(buffer: Long): Long                  = buffer
  def lower(buffer: Long): Long                 = buffer
  def write(value: Long, out: ByteWriter): Unit = out.long(value)
  def read(in: ByteReader): Long                = in.long()
}

object Sum      extends Sum(isExact = false)
object ExactSum extends Sum(isExact = true)
