package windrow.testkit

import windrow._
import windrow.testkit.Emission.ContentPane
import windrow.testkit.ReferenceOperator._

/** The slow, obviously right windowed aggregation: it keeps the messages themselves and works out windows and values
  * anew whenever it needs them. Written from SEMANTICS T–§7 and SEMANTICS.md alone; everything fast is compared with it.
  *
  * @param content
  *   what a pane shows of messages in order
  */
final class ReferenceOperator(spec: WindowOperatorSpec, content: Seq[Message] => Content) extends StepwiseOperator {

  private type Key = Scalar

  private val windows  = ReferenceWindows(spec.window)
  private val lateness = spec.lateness.micros

  private var watermark      = Option.empty[Long]
  private var processingTime = Option.empty[Long]
  private var counts         = Counts()
  private var applied        = Set.empty[(Option[String], Int, Long)]

  /** Accepted messages of windows that have not left, in order of acceptance. */
  private var log = Map.empty[Key, Vector[Message]]

  /** What is known of every window that ever existed. */
  private var histories = Map.empty[(Key, Bounds), History]

  /** The empty windows of `fillGaps`, and each key's first and last window with messages. */
  private var filled  = Map.empty[Key, Set[Bounds]]
  private var reaches = Map.empty[Key, (Bounds, Bounds)]

  private val panes    = Seq.newBuilder[ContentPane]
  private val rejected = Seq.newBuilder[RejectedMessage]

  def ask(query: Query): Answer = query match {
    case Query.Counters => Answer.Counters(counts.named)
    case _              => Answer.Refused("NO_MESSAGE_STORE")
  }

  /** Its log is all that it has. */
  def restart(): Unit = ()

  /** Messages, then the watermark, then processing time; None leaves it as it is. All in microseconds.
    *
    * The watermark never falls. What the messages do is judged by the watermark before them (SEMANTICS T), by processing
    * time as the step gives it (R81).
    */
  def step(messages: Seq[Message], watermark: Option[Long], processingTime: Option[Long]): Emission = {
    processingTime.foreach(now => this.processingTime = Some(now))
    messages.sorted(Message.Order).foreach(process)
    advance(watermark.fold(this.watermark)(to => Some(this.watermark.fold(to)(math.max(_, to)))), isFinal = false)
    taken()
  }

  /** The input is over: the watermark passes everything. */
  def finish(): Emission = {
    advance(Some(Long.MaxValue), isFinal = true)
    taken()
  }

  private def taken(): Emission = {
    val emission = Emission(panes.result(), rejected.result())
    panes.clear()
    rejected.clear()
    emission
  }

  // ---- messages (SEMANTICS A, in its order)

  private def process(message: Message): Unit =
    if (message.identity.exists(applied)) counts = counts.copy(replays = counts.replays + 1)
    else {
      applied ++= message.identity
      val own = windows.of(message)
      if (message.time.isEmpty || isGapBroken(message)) reject(message, Reason.InvalidTime)
      else if (isTooFarAhead(message)) reject(message, Reason.TooFarAhead)
      else if (own.isEmpty) counts = counts.copy(gaps = counts.gaps + 1)
      else if (own.forall(hasLeft(_, watermark))) reject(message, Reason.TooLate)
      else accept(message)
    }

  private def isGapBroken(message: Message): Boolean =
    spec.window == Session.OfMessage && message.gap.forall(_ <= 0)

  private def isTooFarAhead(message: Message): Boolean =
    spec.maxFuture.zip(processingTime).exists { case (ahead, now) =>
      message.time.exists(_ > ReferenceWindows.plus(now, ahead.micros))
    }

  private def reject(message: Message, reason: Reason): Unit = {
    counts = counts.copy(rejected = counts.rejected + 1)
    rejected += message.rejected(reason)
  }

  private def accept(message: Message): Unit = {
    val key    = message.key
    val before = existing(key)
    counts = counts.accepting(message, before.lastOption)
    log += key -> (log.getOrElse(key, Vector.empty) :+ message)
    val after    = existing(key)
    val replaced = before.filterNot(after.contains)
    replaced.foreach(retract(key, _))
    after.filter(_.holds(message)).foreach { window =>
      reach(key, window)
      val origins = if (before.contains(window)) Seq(window) else replaced
      update(key, window, origins.map(history(key, _)))
    }
  }

  /** One message more for a window.
    *
    * @param origins
    *   the window itself, or the sessions that it replaces (R84: their pending messages are now its own); empty for a
    *   new window
    */
  private def update(key: Key, window: Bounds, origins: Seq[History]): Unit = {
    val hasFired = origins.nonEmpty && origins.forall(_.isPastOnTime) // R79
    val unsent   = origins.map(_.unsent).sum + 1
    val complete = isComplete(window, watermark)
    histories += (key, window) -> history(key, window).copy(unsent = unsent, isPastOnTime = complete)
    if (complete) spec.late match {
      case EachStep                        => () // after the step's watermark (R15)
      case _ if !hasFired                  => fire(key, window, Timing.Late)
      case EachMessage                     => fire(key, window, Timing.Late)
      case Every(count) if unsent >= count => fire(key, window, Timing.Late)
      case _                               => ()
    }
  }

  // ---- the watermark

  private def advance(to: Option[Long], isFinal: Boolean): Unit = {
    if (spec.fillGaps) to.foreach(fill(_, isFinal))
    val open = log.keySet.toSeq.map(key => key -> existing(key))
    watermark = to
    for ((key, windows) <- open; window <- windows if isComplete(window, watermark)) {
      val known = history(key, window)
      if (!known.isPastOnTime) fire(key, window, Timing.OnTime) // R16
      else if (known.unsent > 0 && (spec.late == EachStep || hasLeft(window, watermark)))
        fire(key, window, Timing.Late) // R80
    }
    for ((key, windows) <- open) {
      val left = windows.filter(hasLeft(_, watermark))
      log += key -> log(key).filterNot(m =>
        left.exists(_.holds(m)) && !windows.exists(w => w.holds(m) && !left.contains(w)))
    }
  }

  private def isComplete(window: Bounds, at: Option[Long]): Boolean = at.exists(_ >= window.end)

  /** Past its lateness: it takes no message any more, and its state is gone. */
  private def hasLeft(window: Bounds, at: Option[Long]): Boolean =
    at.exists(_ >= ReferenceWindows.plus(window.end, lateness))

  /** The windows of a key that hold something and have not left, sorted by start. */
  private def existing(key: Key): Seq[Bounds] = {
    val held = windows.of(log.getOrElse(key, Vector.empty)) ++ filled.getOrElse(key, Set.empty)
    held.filterNot(hasLeft(_, watermark)).distinct.sorted(Bounds.Order)
  }

  // ---- panes

  private def history(key: Key, window: Bounds): History = histories.getOrElse((key, window), History())

  private def fire(key: Key, window: Bounds, timing: Timing): Unit = {
    val known    = history(key, window)
    val messages = log.getOrElse(key, Vector.empty).filter(window.holds).sorted(Message.Order)
    val pane: ContentPane = Pane(
      key,
      window.start,
      window.end,
      timing,
      known.fired,
      isLast = hasLeft(window, watermark), // R9
      isRetraction = false,
      content(messages))
    panes += pane
    histories += (key, window) -> History(known.fired + 1, 0, isPastOnTime = true, Some(pane))
  }

  /** A session that has fired and is replaced takes its last pane back (R18). */
  private def retract(key: Key, window: Bounds): Unit =
    history(key, window).last.foreach(pane => panes += pane.copy(isRetraction = true))

  // ---- fillGaps (R3)

  private def reach(key: Key, window: Bounds): Unit = {
    val (first, last) = reaches.getOrElse(key, (window, window))
    // The first window that the key opened stays the first; a message opens several in order of start.
    reaches += key -> (first, Seq(last, window).max(Bounds.Order))
  }

  private def fill(to: Long, isFinal: Boolean): Unit = windows match {
    case aligned: ReferenceWindows.Aligned =>
      for ((key, (first, last)) <- reaches) {
        val size = last.end - last.start
        val end  = if (isFinal) last.end else math.min(to, last.end + size + lateness) // silent for the retention
        filled += key -> (filled.getOrElse(key, Set.empty) ++ aligned.between(first, Bounds(end - size, end)))
      }
    case _ => ()
  }
}

private[testkit] object ReferenceOperator {

  /** @param aggregates
    *   name of the column and the function of [[ReferenceAggregates]], over the messages' values
    */
  def values(aggregates: Seq[(String, String)])(messages: Seq[Message]): Content =
    Content.Values(aggregates.map { case (name, function) =>
      name -> ReferenceAggregates(function, messages.map(_.value))
    }.toMap)

  /** The messages of each stream (SEMANTICS R56). */
  def byStream(streams: Seq[String])(messages: Seq[Message]): Content =
    Content.ByStream(streams.map(name =>
      name -> messages.filter(_.stream.contains(name)).map(message =>
        StoredValue(message.time.get, message.value))).toMap)

  /** @param fired
    *   number of its panes, retractions not counted
    * @param unsent
    *   messages since its last pane, for the late policy
    * @param isPastOnTime
    *   it fired ON_TIME, or was complete when its first message came (R79)
    * @param last
    *   its last pane
    */
  private final case class History(
      fired: Long = 0,
      unsent: Long = 0,
      isPastOnTime: Boolean = false,
      last: Option[ContentPane] = None)

  /** Classes (R5): seen from the key's existing window with the greatest start; without one a message is in time. */
  private final case class Counts(
      accepted: Long = 0,
      rejected: Long = 0,
      replays: Long = 0,
      gaps: Long = 0,
      inTime: Long = 0,
      past: Long = 0,
      future: Long = 0) {

    def accepting(message: Message, current: Option[Bounds]): Counts = {
      val (before, beyond) = (
        current.exists(window => message.time.exists(_ < window.start)),
        current.exists(window => message.time.exists(_ >= window.end)))
      val counted = copy(accepted = accepted + 1)
      if (before) counted.copy(past = past + 1)
      else if (beyond) counted.copy(future = future + 1)
      else counted.copy(inTime = inTime + 1)
    }

    def named: Map[String, Long] = Map(
      "accepted" -> accepted,
      "rejected" -> rejected,
      "replays"  -> replays,
      "gaps"     -> gaps,
      "filtered" -> 0L,
      "in_time"  -> inTime,
      "past"     -> past,
      "future"   -> future)
  }
}
