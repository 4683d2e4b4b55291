package windrow.replay

/** A query of an operator's state between two steps. */
sealed trait Query

object Query {

  /** The axis of a range of messages. */
  sealed trait Axis
  case object ByTime   extends Axis
  case object ByOffset extends Axis

  /** Returns the messages of a closed range, in microseconds or offsets. None is an open end.
    *
    * @param key
    *   the key, or None for all keys
    */
  final case class GetMessages(start: Option[Long], end: Option[Long], key: Option[Scalar], axis: Axis) extends Query

  /** Returns the windows that overlap a closed range. */
  final case class GetWindows(start: Long, end: Long, key: Option[Scalar]) extends Query

  case object Counters extends Query
}

/** The answer to a query. */
sealed trait Answer

object Answer {

  /** Messages in the order of the axis. */
  final case class Messages(messages: Seq[StoredMessage]) extends Answer

  /** Windows in the order of (start, end). */
  final case class Windows(windows: Seq[WindowRow]) extends Answer

  /** Counters. An expectation names only those that are compared. */
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

  /** An additional counter of aggregators with a maximal number of windows (SEMANTICS R10). */
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
