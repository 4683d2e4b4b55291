package windrow.spark.testing

import org.apache.spark.sql.catalyst.InternalRow

/** What comes into a micro-batch of a plan that runs in this thread. */
private[testing] trait Turn {

  /** Rows of a source, by its folder. */
  def rows(source: String): Iterator[InternalRow]

  /** In milliseconds. */
  def watermark: Long

  /** In milliseconds. */
  def now: Long
}
