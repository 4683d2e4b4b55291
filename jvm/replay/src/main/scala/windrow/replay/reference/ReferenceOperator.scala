package windrow.replay

import windrow._
import windrow.replay.Emission.ContentPane

/** The slow, obviously correct windowed aggregation. It keeps the messages themselves and computes windows and values
  * from them whenever it needs them. It is written from the rules alone, and everything fast is compared with it.
  *
  * @param show
  *   returns the content of a pane
  */
private[windrow] final class ReferenceOperator(spec: WindowOperatorSpec, show: ReferencePanes.Show)
    extends StepwiseOperator {
  private val windows    = ReferenceWindows(spec)
  private val completion = new ReferenceCompletion(spec, windows)
  private val panes      = new ReferencePanes(spec, show, windows)
  private val gaps       = new ReferenceGaps(spec, windows)
  private val intake     = new ReferenceIntake(spec.maxFuture)

  private var before   = ReferenceProgress() // that is, before the step
  private var progress = ReferenceProgress()

  /** Accepted messages, except those of sessions that have left. */
  private var log = Map.empty[Scalar, Vector[Held]]

  private var histories = Map.empty[(Scalar, Bounds), ReferenceHistory]

  /** Windows that accept no more messages. */
  private var gone = Set.empty[(Scalar, Bounds)]

  /** The greatest end and the next index of the withdrawn sessions that began at a time of a key (SEMANTICS R84). */
  private var withdrawn = Map.empty[(Scalar, Long), (Long, Long)]

  /** The end of the last session of each key that was cut and has closed, and when it is forgotten. */
  private var settled = Map.empty[Scalar, (Long, Long)]

  private val fired = Seq.newBuilder[ContentPane]

  def ask(query: Query): Answer = query match {
    case Query.Counters =>
      Answer.Counters(intake.counters ++ spec.retention.windows.map(Answer.OverRetention -> over(_)))
    case _ => Answer.Refused("NO_MESSAGE_STORE")
  }

  /** Returns the number of windows beyond the maximum of each key (SEMANTICS R10). */
  private def over(most: Long): Long = log.keys.toSeq.map(existing(_).size - most).filter(_ > 0).sum

  /** Does nothing, because the log is the only state. */
  def restart(): Unit = ()

  /** Applies the messages, then the watermark, then the processing time. None leaves the watermark or time unchanged.
    * All times are in microseconds.
    *
    * Messages are judged by the watermark before them (SEMANTICS T), and by the processing time of their step (R81).
    */
  def step(feed: Step.Feed): Emission = step(feed.messages, feed.watermark, feed.processingTime)

  private def step(messages: Seq[Message], watermark: Option[Long], processingTime: Option[Long]): Emission = {
    processingTime.foreach(clock)
    before = progress
    messages.sorted(windows.order).foreach(process)
    progress = progress.advanced(watermark)
    endStep()
  }

  /** Ends the input: every window is complete. */
  def finish(): Emission = {
    before = progress
    progress = progress.over
    endStep()
  }

  /** Sets the clock. Periods that started before the first processing time count from it (SEMANTICS R14). */
  private def clock(now: Long): Unit = {
    if (intake.processingTime.isEmpty)
      histories = histories.map { case (window, known) =>
        window -> (if (known.unsent.isEmpty) known else known.copy(since = Some(now)))
      }
    intake.processingTime = Some(now)
  }

  private def endStep(): Emission = {
    for ((key, window) <- gaps.fill(progress))
      if (before.watermark.exists(_ >= window.end) && completion.isComplete(key, window, held(key), before)) {
        if (spec.onTime) fire(key, window, Timing.Late)
        histories += (key, window.identity) -> history(key, window).copy(isPastOnTime = true)
      }
    for (key <- log.keys.toSeq; window <- existing(key)) {
      if (isWithdrawn(key, window)) withdraw(key, window)
      complete(key, window)
      fireAtStepEnd(key, window)
    }
    log.keys.foreach(leave)
    val emission = Emission(fired.result(), intake.takeRejected())
    fired.clear()
    emission
  }

  // ---- messages (SEMANTICS A, in its order)

  private def process(message: Message): Unit = {
    val earlier = progress
    progress = progress.seeing(message)
    intake(message)(_ => judge(Held(message, progress.sequence(message.key)), earlier))
    if (movesByMessages) settle()
  }

  /** @param earlier
    *   progress before the message
    */
  private def judge(one: Held, earlier: ReferenceProgress): Unit = {
    val message = one.message
    val own     = windows.own(message, one.sequence)
    if (windows.position(one).isEmpty || isGapBroken(message)) intake.reject(message, Reason.InvalidTime)
    else if (own.isEmpty) {
      intake.count("gaps")
      progress = progress.numbering(message.key)
    } else if (own.forall(completion.isRefused(message, _, before)) || isSettled(message))
      intake.reject(
        message,
        if (completion.isOutOfRetention(message, before)) Reason.OutOfRetention else Reason.TooLate)
    else {
      progress = progress.numbering(message.key)
      accept(one, earlier)
    }
  }

  /** Whether a session that was cut and has closed ends after the message (SEMANTICS R53). */
  private def isSettled(message: Message): Boolean =
    settled.get(message.key).exists { case (end, _) => message.time.exists(_ < end) }

  private def isGapBroken(message: Message): Boolean = spec.window match {
    case session: Session => !Bounds.canMakeSession(message, session.gap.map(_.micros))
    case _                => false
  }

  /** Classifies a message relative to the existing window of its key with the greatest start. Without such a window it
    * is in time (SEMANTICS R5).
    */
  private def classify(position: Long, current: Option[Bounds]): Unit = {
    def isBeyond(window: Bounds) = position > window.end || (windows.isHalfOpen && position == window.end)
    intake.count("accepted")
    intake.count(
      if (current.exists(position < _.start)) "past" else if (current.exists(isBeyond)) "future" else "in_time")
  }

  private def accept(message: Held, earlier: ReferenceProgress): Unit = {
    val key     = message.message.key
    val was     = existing(key)
    val wasHeld = held(key)
    windows.position(message).foreach(classify(_, was.filter(isComparable(message, _)).maxOption(Bounds.Order)))
    log += key -> (held(key) :+ message)
    forgetClosed(key, was)
    val is       = existing(key)
    val same     = was.map(_.identity).toSet
    val replaced = was.filterNot(window => is.exists(_.identity == window.identity))
    replaced.foreach(window => fired ++= panes.replaced(history(key, window)))
    val left = replaced.map(window => window -> history(key, window)).toMap
    if (spec.window.isInstanceOf[Session]) // one that returns is a new window (R84)
      replaced.foreach(forget(key, _))
    is.foreach { window =>
      val isEmpty = windows.contents(window, held(key)).isEmpty // it has only a retraction that waits for its pane
      if (!same(window.identity) && !isEmpty) {
        gaps.reach(key, window)
        val content = windows.contents(window, held(key))
        withdrawn.get((key, window.start)).filter { case (end, _) => window.end <= end }
          .foreach { case (_, next) => histories += (key, window.identity) -> ReferenceHistory(next) }
        val origins = replaced.map(one => left(one) -> windows.contents(one, wasHeld))
          .filter(!spec.window.isInstanceOf[Session] || _._2.exists(content.contains))
        val known = origins.map(_._1)
        if (spec.window.isInstanceOf[Session] && !(message +: origins.flatMap(_._2)).forall(content.contains))
          // a retraction has removed its rows from the output, so all of them are unsent (R84)
          update(key, window, known.map(_.copy(unsent = Nil, updates = 0)), content, earlier, content.size.toLong)
        else update(key, window, known, if (known.isEmpty) content else Seq(message), earlier, updates = 1)
      } else if (windows.contents(window, held(key)) != windows.contents(window, wasHeld)) {
        gaps.reach(key, window)
        update(key, window, Seq(history(key, window)), Seq(message), earlier, updates = 1)
      }
    }
  }

  /** Forgets a session that is replaced, except the number of its panes. */
  private def forget(key: Scalar, window: Bounds): Unit = {
    val next = history(key, window).fired
    histories -= ((key, window.identity))
    if (next > 0) withdrawn += (key, window.start) -> withdrawn.get((key, window.start)).fold((window.end, next)) {
      case (end, earlier) => (math.max(end, window.end), math.max(earlier, next))
    }
  }

  /** Whether the message can be compared with the window. Offsets of different partitions cannot (SEMANTICS R7). */
  private def isComparable(message: Held, window: Bounds): Boolean =
    window.partition.forall(message.message.partition.contains)

  /** Marks windows as gone that the message would create after their lateness has passed. */
  private def forgetClosed(key: Scalar, was: Seq[Bounds]): Unit = if (!spec.window.isInstanceOf[Session])
    gone ++= existing(key).filterNot(window => was.exists(_.identity == window.identity))
      .filter(completion.hasLeft(key, _, held(key), before)).map(window => (key, window.identity))

  /** Adds messages to a window.
    *
    * @param origins
    *   the window itself, or the sessions whose messages it has received (R84: unsent ones are now its own); empty for
    *   a new window
    * @param updates
    *   the number of messages that have changed it
    */
  private def update(
      key: Scalar,
      window: Bounds,
      origins: Seq[ReferenceHistory],
      news: Seq[Held],
      earlier: ReferenceProgress,
      updates: Long): Unit = {
    val wasComplete = completion.wasComplete(key, window, held(key), news, earlier)
    val isComplete  = completion.isComplete(key, window, held(key), progress)
    val hasFired    = origins.nonEmpty && origins.forall(_.isPastOnTime)
    val known       = history(key, window)
    val isLate      = known.isPastOnTime || (if (origins.isEmpty) wasComplete else hasFired && isComplete)
    val now = known.copy(
      unsent = origins.flatMap(_.unsent) ++ news,
      updates = origins.map(_.updates).sum + updates,
      since = origins.flatMap(_.since).minOption.orElse(intake.processingTime),
      isPastOnTime = isLate)
    histories += (key, window.identity) -> now
    // A cut can divide a session when a part of it is past its lateness. Its last pane follows at the end of the step.
    if (isWithdrawn(key, window) || completion.hasLeft(key, window, held(key), before)) ()
    else if (isLate) {
      val isFirst = spec.onTime && !hasFired && !ReferencePolicy.waitsForStepEnd(spec.late) // R79
      if (isFirst || ReferencePolicy.firesAtMessage(spec.late, now.updates)) fire(key, window, Timing.Late)
    } else if (!isComplete && ReferencePolicy.firesAtMessage(spec.early, now.updates))
      fire(key, window, Timing.Early)
  }

  // ---- completion

  /** Whether windows can complete between the messages of a step (SEMANTICS R7, R21). */
  private val movesByMessages: Boolean =
    spec.closeOn == CloseOn.NextRow || (spec.window match {
      case _: TupleWindows => true
      case _               => false
    })

  private def settle(): Unit = log.keys.foreach { key =>
    existing(key).foreach(complete(key, _))
    leave(key)
  }

  private def complete(key: Scalar, window: Bounds): Unit =
    if (!history(key, window).isPastOnTime && completion.isComplete(key, window, held(key), progress)) {
      if (spec.onTime && !isWithdrawn(key, window)) fire(key, window, Timing.OnTime) // R16
      histories += (key, window.identity) -> history(key, window).copy(isPastOnTime = true)
    }

  private def fireAtStepEnd(key: Scalar, window: Bounds): Unit = {
    val known             = history(key, window)
    val (trigger, timing) = if (known.isPastOnTime) (spec.late, Timing.Late) else (spec.early, Timing.Early)
    if (known.unsent.nonEmpty && ReferencePolicy.firesAtStepEnd(trigger, known.since, intake.processingTime))
      fire(key, window, timing)
  }

  /** Removes windows. Messages that are unsent when their window leaves are emitted in a last pane (SEMANTICS R80). */
  private def leave(key: Scalar): Unit = {
    val left = existing(key).filter(completion.hasLeft(key, _, held(key), progress))
    left.filter(history(key, _).unsent.nonEmpty).foreach(fire(key, _, Timing.Late))
    gone ++= left.map(window => (key, window.identity))
    withdrawn = withdrawn.filterNot { case ((of, start), _) =>
      of == key && left.exists(one => one.start <= start && start < one.end)
    }
    settle(key, left)
    spec.window match {
      case _: Session | _: OffsetSession =>
        log += key -> held(key).diff(left.flatMap(windows.contents(_, held(key))))
      case _ => ()
    }
  }

  private def settle(key: Scalar, left: Seq[Bounds]): Unit = {
    val ends = windows match {
      case cuts: ReferenceCuts => left.flatMap(cuts.settled(_, held(key)))
      case _                   => Nil
    }
    val known = settled.get(key) ++ ends
    settled = settled.removed(key) ++ known.reduceOption((a, b) => (math.max(a._1, b._1), math.max(a._2, b._2)))
      .filterNot { case (_, forgets) => completion.hasLeft(key, Bounds(forgets, forgets), Nil, progress) }
      .map(key -> _)
  }

  /** Whether an inherited window is empty (SEMANTICS R55). */
  private def isWithdrawn(key: Scalar, window: Bounds): Boolean =
    spec.window.isInstanceOf[Inherit] && windows.contents(window, held(key)).isEmpty

  private def withdraw(key: Scalar, window: Bounds): Unit = {
    val known = history(key, window)
    fired ++= panes.replaced(known)
    histories += (key, window.identity) -> known.copy(unsent = Nil, updates = 0, since = None, last = None)
  }

  // ---- the state

  private def held(key: Scalar): Vector[Held] = log.getOrElse(key, Vector.empty)

  /** Returns the windows of a key that still accept messages, by start. */
  private def existing(key: Scalar): Seq[Bounds] =
    (windows.all(held(key)) ++ gaps.of(key)).distinctBy(_.identity).filterNot(window =>
      gone((key, window.identity))).sorted(Bounds.Order)

  private def history(key: Scalar, window: Bounds): ReferenceHistory =
    histories.getOrElse((key, window.identity), ReferenceHistory())

  private def fire(key: Scalar, window: Bounds, timing: Timing): Unit = {
    val isLast        = completion.hasLeft(key, window, held(key), progress) // R9
    val (came, known) = panes.fire(key, window, history(key, window), timing, isLast, held(key))
    fired ++= came
    histories += (key, window.identity) -> known
  }
}
