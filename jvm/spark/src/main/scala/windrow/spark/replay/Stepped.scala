package windrow.spark.replay

import windrow.testkit._

/** A streaming query that a transcript drives step by step. */
private[replay] trait Stepped {

  /** Applies the messages; `mark` is the watermark of this step, `next` of the one after it, in milliseconds.
    *
    * @param processingTime
    *   in microseconds
    */
  def step(messages: Seq[Message], mark: Long, next: Long, processingTime: Option[Long] = None): Emission

  def restart(): Unit
  def counters: Map[String, Long]

  /** What the query keeps, asked for from outside. */
  def ask(query: Query): Answer

  def close(): Unit
}
