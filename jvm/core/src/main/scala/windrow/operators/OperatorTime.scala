package windrow.operators

import windrow.core.time.Watermark

/** The times that an operator has received, as a value.
  *
  * @param clock
  *   the last processing time; it never moves back
  * @param marks
  *   watermarks of single streams
  * @param owed
  *   the watermark of the next step; it waits here while the operator accepts no messages
  */
private[operators] final case class OperatorTime(
    clock: Option[Long] = None,
    marks: Map[String, Long] = Map.empty,
    owed: Watermark = Watermark.None) {

  /** The time after a processing time and a watermark arrived. None and an earlier time change nothing. */
  def after(processingTime: Option[Long], watermark: Watermark = Watermark.None): OperatorTime =
    copy(clock = (clock ++ processingTime).maxOption, owed = owed.max(watermark))

  /** The time after a step. */
  def applied: OperatorTime = copy(owed = Watermark.None)

  def marked(stream: String, watermark: Long): OperatorTime =
    copy(marks = marks.updated(stream, marks.get(stream).fold(watermark)(math.max(_, watermark))))

  /** The least watermark of the streams, as soon as all of them have one. */
  def least(streams: Seq[String]): Option[Watermark] =
    Option.when(streams.forall(marks.contains))(Watermark(streams.map(marks).min))

  /** The time after the state was discarded. */
  def discarded: OperatorTime = OperatorTime(clock)
}
