package windrow.spark.query

import windrow.core.state.Key

/** A question to the state: a range that includes both ends. None means no bound, or all keys.
  *
  * @param by
  *   the values that the index columns of stored rows must have, as a row; None means any
  */
private[spark] final case class Question(
    key: Option[Key],
    start: Option[Long],
    end: Option[Long],
    by: Option[Array[Byte]] = None)
