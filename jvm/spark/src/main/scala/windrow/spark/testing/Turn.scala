package windrow.spark.testing

import org.apache.spark.sql.catalyst.InternalRow

/** The input of one micro-batch of a plan that runs in the calling thread. */
private[testing] trait Turn {

  /** Returns the rows of a source, identified by its folder. */
  def rows(source: String): Iterator[InternalRow]

  /** The watermark, in milliseconds. */
  def watermark: Long

  /** The processing time, in milliseconds. */
  def now: Long
}
