package windrow.core.aggregate

import windrow.core.state.{ByteReader, ByteWriter}

/** Numbers in the order in which they were combined. */
private[core] object Lists extends Aggregation[Vector[Long], Vector[Long]] {
  def zero: Vector[Long]                                             = Vector.empty
  def combine(left: Vector[Long], right: Vector[Long]): Vector[Long] = left ++ right
  def copy(buffer: Vector[Long]): Vector[Long]                       = buffer
  def lower(buffer: Vector[Long]): Vector[Long]                      = buffer
  def write(buffer: Vector[Long], out: ByteWriter): Unit = {
    out.count(buffer.size.toLong)
    buffer.foreach(out.long)
  }
  def read(in: ByteReader): Vector[Long] = Vector.fill(in.size())(in.long())
}
