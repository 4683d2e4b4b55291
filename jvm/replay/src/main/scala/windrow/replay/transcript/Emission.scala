package windrow.replay

import windrow.Pane

/** What came out of one step.
  *
  * @param rows
  *   of a join: for each stream its message, None where it has none
  * @param events
  *   of policy windows
  */
final case class Emission(
    panes: Seq[Emission.ContentPane] = Nil,
    rejected: Seq[RejectedMessage] = Nil,
    rows: Seq[Emission.Row] = Nil,
    events: Seq[PolicyEvent] = Nil) {

  /** As a transcript states it: panes sorted by key and window; rows and events only where `shape` speaks of them. */
  def asExpected(shape: Expected.Shape): Expected = Expected(
    Option.when(shape != Expected.Rows)(panes.sortBy(pane => (pane.key, pane.start, pane.end))),
    Some(rejected),
    Option.when(shape == Expected.Rows)(rows),
    Option.when(shape == Expected.Events)(events))
}

object Emission {

  /** Bounds as a transcript prints them: microseconds, or positions of tuple windows, and where the kind of window is
    * closed the end is its last; [[Everywhere]] for a window that is everything.
    */
  type ContentPane = Pane[Scalar, Content]

  type Row = Map[String, Option[StoredValue]]

  val Nothing: Emission = Emission()

  val Everywhere: (Long, Long) = (Long.MinValue, Long.MaxValue)
}

/** What a pane shows. */
sealed trait Content

object Content {

  /** @param message
    *   the identity of a window of `Over`: the message that it ends at
    */
  final case class Values(values: Map[String, Value], message: Option[OverMessage] = None) extends Content

  /** The unsent messages of a full-state window, in order. */
  final case class Messages(messages: Seq[StoredValue]) extends Content

  /** The messages of a co-group by stream, each in order. */
  final case class ByStream(messages: Map[String, Seq[StoredValue]]) extends Content
}

/** The message of a window of `Over`. */
final case class OverMessage(time: Long, value: Scalar, partition: Option[Int], offset: Option[Long])

/** A message as far as joins and full state show it; time in microseconds. */
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

/** What must come out of one step; None is not checked. */
final case class Expected(
    panes: Option[Seq[Emission.ContentPane]] = None,
    rejected: Option[Seq[RejectedMessage]] = None,
    rows: Option[Seq[Emission.Row]] = None,
    events: Option[Seq[PolicyEvent]] = None)

object Expected {
  val Anything: Expected = Expected()

  /** What an operator gives beside rejected messages. */
  sealed trait Shape
  case object Panes  extends Shape
  case object Rows   extends Shape
  case object Events extends Shape
}
