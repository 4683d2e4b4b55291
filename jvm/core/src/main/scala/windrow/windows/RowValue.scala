package windrow

/** The number that a row brings to the windows of its key, in addition to its event time. */
private[windrow] sealed trait RowValue {

  /** Whether each row has its own value, from a column. */
  def isOwn: Boolean

  /** The value of a row; None if it is invalid.
    *
    * @param own
    *   the row's own value, if it has one
    */
  def of(own: Option[Long]): Option[Long]

  /** The time in microseconds from a row's event time to its end. */
  def lasts(value: Long): Long

  /** The time in microseconds from a row's event time to the last end that it can give a window. It must be a valid
    * time.
    */
  def reaches(value: Long): Long = lasts(value)
}

private[windrow] object RowValue {

  /** The same number for all rows. */
  sealed abstract class Constant(all: Long) extends RowValue {
    private val ofAll: Option[Long]         = Some(all)
    def isOwn: Boolean                      = false
    def of(own: Option[Long]): Option[Long] = ofAll
    def lasts(value: Long): Long            = 0L
  }

  /** Windows that do not depend on a value. */
  case object NoValue extends Constant(0)

  /** Windows that count rows. */
  case object RowCount extends Constant(1)

  /** Several windows, each of which knows its own gap. The value of an entry is the time from its first to its last
    * row.
    *
    * @param longest
    *   the longest gap in microseconds; 0 without sessions
    */
  final case class LongestGap(longest: Long) extends Constant(0) {
    override def reaches(value: Long): Long = value + longest
  }

  /** The time for which a row lasts, in microseconds. It is positive.
    *
    * @param ofAll
    *   None if each row has its own
    */
  final case class Duration(ofAll: Option[TimeSpan]) extends RowValue {
    private val micros: Option[Long]        = ofAll.map(_.micros)
    def isOwn: Boolean                      = ofAll.isEmpty
    def of(own: Option[Long]): Option[Long] = own.orElse(micros).filter(_ > 0)
    def lasts(value: Long): Long            = value
  }
}
