package windrow

/** The time of a pane relative to its window: before, at, or after its completion. */
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
  *   start of the window, inclusive: microseconds, or the first position of a tuple window
  * @param end
  *   end of the window: microseconds, exclusive; the last instant or position for closed windows (sliding, over,
  *   tuples)
  * @param index
  *   number of the pane within its window and key, from 0
  * @param isLast
  *   whether the watermark had passed the end of the window by the lateness
  * @param isRetraction
  *   whether it withdraws the pane with the same index, whose fields it repeats
  * @param message
  *   for a window of `Over`, the message at which it ends, unchanged
  * @param partition
  *   for a window on offsets, their source partition
  * @param name
  *   for one of several windows, its name
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
    partition: Option[SourcePartition] = None,
    name: Option[String] = None)

/** A part of a source with its own offsets. */
final case class SourcePartition(source: String, number: Long)

object SourcePartition {

  /** Orders by source, then by number. */
  implicit val Order: Ordering[SourcePartition] = (a, b) => {
    val bySource = a.source.compareTo(b.source)
    if (bySource != 0) bySource else java.lang.Long.compare(a.number, b.number)
  }
}

/** The reason why a message was rejected. */
sealed abstract class Reason(val code: Byte)

object Reason {
  case object InvalidTime    extends Reason(0) { override def toString = "INVALID_TIME"     }
  case object TooFarAhead    extends Reason(1) { override def toString = "TOO_FAR_AHEAD"    }
  case object TooLate        extends Reason(2) { override def toString = "TOO_LATE"         }
  case object OutOfRetention extends Reason(3) { override def toString = "OUT_OF_RETENTION" }

  /** A row that a deduplication does not keep, although nothing is wrong with it. */
  case object Duplicate extends Reason(4) { override def toString = "DUPLICATE" }

  val All: Seq[Reason] = Vector(InvalidTime, TooFarAhead, TooLate, OutOfRetention, Duplicate)

  /** The reasons by which rejected rows are counted. Duplicates have a count of their own. */
  val OfRejected: Seq[Reason] = All.filter(_ != Duplicate)

  def apply(code: Byte): Reason = All(code.toInt)
}
