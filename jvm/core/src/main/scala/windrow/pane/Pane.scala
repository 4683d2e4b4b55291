package windrow

/** When a pane fired, seen from its window: before it was complete, as it became complete, or after. */
sealed abstract class Timing(val code: Byte)

object Timing {
  case object Early  extends Timing(0) { override def toString = "EARLY"   }
  case object OnTime extends Timing(1) { override def toString = "ON_TIME" }
  case object Late   extends Timing(2) { override def toString = "LATE"    }

  val All: Seq[Timing] = Vector(Early, OnTime, Late)

  def apply(code: Byte): Timing = All(code.toInt)
}

/** One firing of a window.
  *
  * @param start
  *   of the window, inclusive: microseconds, or the first position of a tuple window
  * @param end
  *   of the window: microseconds, exclusive; of closed windows (sliding, over, tuples) the last instant or position
  * @param index
  *   0, 1, … within its window and key
  * @param isLast
  *   the watermark had passed the end of the window and its lateness
  * @param isRetraction
  *   withdraws the pane of the same index, whose fields it repeats
  * @param message
  *   of a window of `Over`: the message that it ends at, as it was handed in
  * @param partition
  *   of a window on offsets: the source partition whose offsets these are
  * @tparam K
  *   key
  * @tparam V
  *   value
  */
final case class Pane[K, V](
    key: K,
    start: Long,
    end: Long,
    timing: Timing,
    index: Long,
    isLast: Boolean,
    isRetraction: Boolean,
    value: V,
    message: Option[Array[Byte]] = None,
    partition: Option[SourcePartition] = None)

/** A part of a source with offsets of its own. */
final case class SourcePartition(source: String, number: Long)

object SourcePartition {

  /** By source, then number. */
  implicit val Order: Ordering[SourcePartition] = (a, b) => {
    val bySource = a.source.compareTo(b.source)
    if (bySource != 0) bySource else java.lang.Long.compare(a.number, b.number)
  }
}

/** Why a message entered no window. */
sealed abstract class Reason(val code: Byte)

object Reason {
  case object InvalidTime    extends Reason(0) { override def toString = "INVALID_TIME"     }
  case object TooFarAhead    extends Reason(1) { override def toString = "TOO_FAR_AHEAD"    }
  case object TooLate        extends Reason(2) { override def toString = "TOO_LATE"         }
  case object OutOfRetention extends Reason(3) { override def toString = "OUT_OF_RETENTION" }

  val All: Seq[Reason] = Vector(InvalidTime, TooFarAhead, TooLate, OutOfRetention)

  def apply(code: Byte): Reason = All(code.toInt)
}
