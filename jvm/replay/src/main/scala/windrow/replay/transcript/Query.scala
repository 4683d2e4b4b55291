package windrow.replay

/** A question to an operator's state between two steps. */
sealed trait Query

object Query {

  /** The axis of a range of messages. */
  sealed trait Axis
  case object ByTime   extends Axis
  case object ByOffset extends Axis

  /** Messages of a closed range, in microseconds or offsets; None is an open end.
    *
    * @param key
    *   None: of all keys
    */
  final case class GetMessages(start: Option[Long], end: Option[Long], key: Option[Scalar], axis: Axis) extends Query

  /** Windows that overlap a closed range. */
  final case class GetWindows(start: Long, end: Long, key: Option[Scalar]) extends Query

  case object Counters extends Query
}

/** What a query gives. */
sealed trait Answer

object Answer {

  /** In order of the axis. */
  final case class Messages(messages: Seq[StoredMessage]) extends Answer

  /** In order of (start, end). */
  final case class Windows(windows: Seq[WindowRow]) extends Answer

  /** In an expectation those that are named are compared. */
  final case class Counters(counters: Map[String, Long]) extends Answer

  /** @param code
    *   for example `NO_MESSAGE_STORE`
    */
  final case class Refused(code: String) extends Answer

  /** The counters of every operator. */
  val CounterNames: Seq[String] =
    Seq("accepted", "rejected", "duplicates", "gaps", "filtered", "in_time", "past", "future")

  /** The counters that only the reference has (SEMANTICS R5). */
  val Classes: Set[String] = Set("in_time", "past", "future")

  /** One more of aggregators that state how many windows they keep (SEMANTICS R10). */
  val OverRetention = "over_retention"
}

final case class StoredMessage(key: Scalar, time: Long, value: Scalar, offset: Option[Long])

/** A window's metadata (SEMANTICS R22); bounds as in [[Emission.ContentPane]]. */
final case class WindowRow(
    key: Scalar,
    start: Long,
    end: Long,
    firstOffset: Option[Long],
    lastOffset: Option[Long],
    count: Long)
