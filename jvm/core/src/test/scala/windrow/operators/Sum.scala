package windrow.operators

import windrow.core.aggregate.Aggregation
import windrow.core.state.{ByteReader, ByteWriter}

/** A sum of integers. */
object Sum extends Aggregation[Long, Long] {
  def zero: Long                                = 0
  def combine(left: Long, right: Long): Long    = left + right
  def copy(buffer: Long): Long                  = buffer
  def lower(buffer: Long): Long                 = buffer
  def write(value: Long, out: ByteWriter): Unit = out.long(value)
  def read(in: ByteReader): Long                = in.long()
}
