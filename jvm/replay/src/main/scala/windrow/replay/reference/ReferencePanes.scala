package windrow.replay

import windrow._
import windrow.replay.Emission.ContentPane

/** The history of the panes of a window.
  *
  * @param fired
  *   number of its panes, not counting retractions
  * @param unsent
  *   messages since its last pane
  * @param updates
  *   number of accepted messages that changed it since then; a new window may receive several older messages together
  *   with the one that opens it
  * @param since
  *   processing time when the first of these arrived
  * @param isPastOnTime
  *   whether it fired ON_TIME, or was complete when its first message arrived (SEMANTICS R79)
  * @param last
  *   its last pane
  */
private[windrow] final case class ReferenceHistory(
    fired: Long = 0,
    unsent: Seq[Held] = Nil,
    updates: Long = 0,
    since: Option[Long] = None,
    isPastOnTime: Boolean = false,
    last: Option[ContentPane] = None)

/** Creates panes in each accumulation mode (SEMANTICS R16-R18). */
private[windrow] final class ReferencePanes(
    spec: WindowOperatorSpec,
    show: ReferencePanes.Show,
    windows: ReferenceWindows) {

  /** @param held
    *   all messages of the key
    * @return
    *   the panes, and the history after them
    */
  def fire(key: Scalar, window: Bounds, known: ReferenceHistory, timing: Timing, isLast: Boolean, held: Seq[Held])
      : (Seq[ContentPane], ReferenceHistory) = {
    val shown = if (spec.accumulation == Discarding) known.unsent else held
    val content = show(
      windows.contents(window, shown).map(_.message),
      window.of.map(one => OverMessage(one.time, one.message.value, one.message.partition, one.message.offset)))
    val sent =
      known.copy(unsent = Nil, updates = 0, since = None, isPastOnTime = known.isPastOnTime || timing != Timing.Early)
    if (spec.skipUnchanged && known.last.exists(_.value == content)) (Nil, sent)
    else {
      val pane: ContentPane =
        Pane(key, window.start, window.end, timing, known.fired, isLast, isRetraction = false, content)
      val before = if (spec.accumulation == AccumulatingAndRetracting) withdrawn(known) else Nil
      (before :+ pane, sent.copy(fired = known.fired + 1, last = Some(pane)))
    }
  }

  /** Returns the retraction of the last pane of a session that is replaced. Discarded parts remain true, so they need
    * none.
    */
  def replaced(known: ReferenceHistory): Seq[ContentPane] =
    if (spec.accumulation == Discarding) Nil else withdrawn(known)

  private def withdrawn(known: ReferenceHistory): Seq[ContentPane] = known.last.toSeq.map(_.copy(isRetraction = true))
}

private[windrow] object ReferencePanes {

  /** Returns the content of a pane from its messages in order, and for a window of `Over` its message. */
  type Show = (Seq[Message], Option[OverMessage]) => Content

  /** @param aggregates
    *   name of the column and the function of [[ReferenceAggregates]], over the messages' values
    */
  def values(aggregates: Seq[(String, String)]): Show = (messages, of) =>
    Content.Values(
      aggregates.map { case (name, function) => name -> ReferenceAggregates(function, messages.map(_.value)) }.toMap,
      of)

  /** The messages of each stream (SEMANTICS R56). */
  def byStream(streams: Seq[String]): Show = (messages, _) =>
    Content.ByStream(streams.map(name =>
      name -> messages.filter(_.stream.contains(name)).map(one => StoredValue(one.time.get, one.value))).toMap)
}
