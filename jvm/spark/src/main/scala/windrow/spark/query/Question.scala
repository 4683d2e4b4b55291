package windrow.spark.query

import windrow.core.state.Key

/** What is asked of what is kept: a closed range; None: open, and all keys.
  *
  * @param by
  *   the values that the join keys of messages must have, as a row; None: any
  */
private[spark] final case class Question(
    key: Option[Key],
    start: Option[Long],
    end: Option[Long],
    by: Option[Array[Byte]] = None)
