package windrow.replay

import windrow.Pane

/** The output of one step.
  *
  * @param rows
  *   rows of a join: for each stream its message, or None; kept rows of a deduplication: the message by its key
  * @param events
  *   events of policy windows
  */
final case class Emission(
    panes: Seq[Emission.ContentPane] = Nil,
    rejected: Seq[RejectedMessage] = Nil,
    rows: Seq[Emission.Row] = Nil,
    events: Seq[PolicyEvent] = Nil) {

  /** Returns the output as expected results: panes sorted by key and window; rows and events only for a `shape` that
    * has them.
    */
  def asExpected(shape: Expected.Shape): Expected = Expected(
    Option.when(shape != Expected.Rows)(panes.sortBy(pane => (pane.key, pane.start, pane.end))),
    Some(rejected),
    Option.when(shape == Expected.Rows)(rows),
    Option.when(shape == Expected.Events)(events))
}

object Emission {

  /** A pane with bounds as a transcript prints them: microseconds, or positions of tuple windows. If the kind of window
    * is closed, the end is its last position. [[Everywhere]] for a window that contains everything.
    */
  type ContentPane = Pane[Scalar, Content]

  type Row = Map[String, Option[StoredValue]]

  val Nothing: Emission = Emission()

  /** A row that a deduplication retracts, with the sign `-` before its key. */
  def retracted(message: Message): Row = kept(message).map { case (key, row) => s"-$key" -> row }

  /** A row that a deduplication keeps. */
  def kept(message: Message): Row = {
    val key = message.key match {
      case Value.Text(text) => text
      case other            => other.toJson.toString
    }
    Map(key -> message.time.map(StoredValue(_, message.value)))
  }

  val Everywhere: (Long, Long) = (Long.MinValue, Long.MaxValue)
}

/** The content of a pane. */
sealed trait Content

object Content {

  /** @param message
    *   the identity of a window of `Over`: the message at which it ends
    */
  final case class Values(values: Map[String, Value], message: Option[OverMessage] = None) extends Content

  /** The unsent messages of a full-state window, in order. */
  final case class Messages(messages: Seq[StoredValue]) extends Content

  /** The messages of a co-group by stream, each in order. */
  final case class ByStream(messages: Map[String, Seq[StoredValue]]) extends Content
}

/** The message of a window of `Over`. */
final case class OverMessage(time: Long, value: Scalar, partition: Option[Int], offset: Option[Long])

/** The parts of a message that joins and full state show; time in microseconds. */
final case class StoredValue(time: Long, value: Scalar)

/** An event of a policy window. */
final case class PolicyEvent(key: Scalar, event: PolicyEvent.Kind, values: Seq[Value])

object PolicyEvent {
  sealed abstract class Kind(override val toString: String)

  case object Insertion         extends Kind("INSERTION")
  case object Eviction          extends Kind("EVICTION")
  case object Trigger           extends Kind("TRIGGER")
  case object InitialFull       extends Kind("INITIAL_FULL")
  case object Final             extends Kind("FINAL")
  case object PartitionEviction extends Kind("PARTITION_EVICTION")

  val Kinds: Seq[Kind] = Seq(Insertion, Eviction, Trigger, InitialFull, Final, PartitionEviction)
}

/** The expected output of one step. None is not checked. */
final case class Expected(
    panes: Option[Seq[Emission.ContentPane]] = None,
    rejected: Option[Seq[RejectedMessage]] = None,
    rows: Option[Seq[Emission.Row]] = None,
    events: Option[Seq[PolicyEvent]] = None)

object Expected {
  val Anything: Expected = Expected()

  /** The kind of output of an operator, in addition to rejected messages. */
  sealed trait Shape
  case object Panes  extends Shape
  case object Rows   extends Shape
  case object Events extends Shape
}
