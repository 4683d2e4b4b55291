package windrow.replay

import windrow._
import windrow.replay.Emission.ContentPane

/** What is known of the panes of a window.
  *
  * @param fired
  *   number of its panes, retractions not counted
  * @param unsent
  *   messages since its last pane
  * @param updates
  *   how many accepted messages changed it since then; a new window may take several older messages with the one that
  *   opens it
  * @param since
  *   processing time when the first of these came
  * @param isPastOnTime
  *   it fired ON_TIME, or was complete when its first message came (SEMANTICS R79)
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

/** What a pane shows, in each mode of accumulation (SEMANTICS R16-R18). */
private[windrow] final class ReferencePanes(
    spec: WindowOperatorSpec,
    show: ReferencePanes.Show,
    windows: ReferenceWindows) {

  /** @param held
    *   all messages of the key
    * @return
    *   the panes, and what is known afterwards
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

  /** A session that is replaced takes its last pane back; parts that were discarded remain true. */
  def replaced(known: ReferenceHistory): Seq[ContentPane] =
    if (spec.accumulation == Discarding) Nil else withdrawn(known)

  private def withdrawn(known: ReferenceHistory): Seq[ContentPane] = known.last.toSeq.map(_.copy(isRetraction = true))
}

private[windrow] object ReferencePanes {

  /** What a pane shows of its messages in order; with the message that is a window of `Over`. */
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
