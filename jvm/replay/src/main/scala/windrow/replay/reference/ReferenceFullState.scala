package windrow.replay

import windrow._
import windrow.replay.Emission.ContentPane
import windrow.replay.ReferenceFullState._

/** The slow, obviously correct full-state operator. It keeps, for each window, all messages that the window ever
  * accepted, and at the end of each step it visits every window and every message.
  */
private[windrow] final class ReferenceFullState(spec: FullStateSpec) extends StepwiseOperator {
  private type Key = Scalar

  private val asAggregate = new WindowOperatorSpec(WindowOperatorDraft(
    spec.window,
    Some(spec.lateness),
    retention = spec.retention,
    startOffsets = spec.startOffsets))
  private val kinds      = ReferenceWindows(asAggregate)
  private val completion = new ReferenceCompletion(asAggregate, kinds)
  private val intake     = new ReferenceIntake(spec.maxFuture)

  private var before   = ReferenceProgress()             // that is, before the step
  private var progress = ReferenceProgress()
  private var windows  = Map.empty[(Key, Bounds), Known] // by identity
  private var stored   = Map.empty[Key, Vector[Held]]
  private var homeless = Set.empty[Held]                 // in no window yet (SEMANTICS R47)
  private var panes    = Vector.empty[ContentPane]

  def step(feed: Step.Feed): Emission = step(feed.messages, feed.watermark, feed.processingTime)

  private def step(messages: Seq[Message], watermark: Option[Long], processingTime: Option[Long]): Emission = {
    val isFirstClock = intake.processingTime.isEmpty && processingTime.isDefined
    intake.processingTime = processingTime.orElse(intake.processingTime)
    before = progress
    messages.sorted(kinds.order).foreach { message =>
      progress = progress.seeing(message)
      intake(message)(_ => judge(Held(message, progress.sequence(message.key))))
    }
    if (isFirstClock) windows = windows.view.mapValues(known =>
      if (known.unsent.isEmpty || known.since.isDefined) known else known.copy(since = intake.processingTime)).toMap
    progress = progress.advanced(watermark)
    endStep()
  }

  def finish(): Emission = {
    before = progress
    progress = progress.over
    endStep()
  }

  def restart(): Unit = ()

  // ---- messages

  private def judge(one: Held): Unit = {
    val message = one.message
    val own     = kinds.own(message, one.sequence)
    if (kinds.position(one).isEmpty || isGapBroken(message)) intake.reject(message, Reason.InvalidTime)
    else if (own.isEmpty) {
      intake.count("gaps")
      progress = progress.numbering(message.key)
    } else if (own.forall(completion.isRefused(message, _, before)))
      intake.reject(message, if (isOld(message, before.watermark)) Reason.OutOfRetention else Reason.TooLate)
    else {
      progress = progress.numbering(message.key)
      accept(one)
    }
  }

  private def isGapBroken(message: Message): Boolean = spec.window match {
    case session: Session => !Bounds.canMakeSession(message, session.gap.map(_.micros))
    case _                => false
  }

  private def isOld(message: Message, at: Option[Long]): Boolean =
    at.zip(spec.retention.time).exists { case (w, span) =>
      message.time.exists(_ < (if (w == Long.MaxValue) w else w - span.micros))
    }

  private def accept(one: Held): Unit = {
    val key = one.message.key
    classify(one)
    val was = kinds.all(held(key)).map(_.identity).toSet
    stored += key -> (held(key) :+ one)
    val taken = spec.window match {
      case _: Session | _: OffsetSession => Seq(joined(key, one))
      case _                             => taking(key, one, was)
    }
    if (taken.isEmpty) homeless += one else comeOut(key, first(taken, one), one)
  }

  /** Returns the windows that contain the message and still accept messages. Windows that exist only because of this
    * message also receive the stored messages.
    */
  private def taking(key: Key, one: Held, was: Set[Bounds]): Seq[Bounds] = {
    val all  = (kinds.all(held(key)) ++ of(key).map(_._1)).distinctBy(_.identity) // its first message may be gone
    val open = all.filterNot(completion.isRefused(one.message, _, before))
    val (known, others) = open.partition(window => windows.contains((key, window.identity)))
    val made            = others.filterNot(window => was(window.identity))
    made.foreach(window => windows += (key, window.identity) -> Known(kinds.contents(window, held(key)).toVector))
    for (old <- held(key).sorted(Held.ByTime) if homeless(old)) {
      val holding = made.filter(kinds.contents(_, held(key)).contains(old))
      if (holding.nonEmpty) {
        homeless -= old
        comeOut(key, first(holding, old), old)
      }
    }
    val holding = (known ++ made).filter(kinds.contents(_, held(key)).contains(one))
    holding.filter(known.contains).foreach(window =>
      windows += (key, window.identity) -> windows((key, window.identity)).holding(one))
    holding
  }

  /** Returns the window that emits the message. For `Over` it is the message's own window (SEMANTICS R43). */
  private def first(taken: Seq[Bounds], one: Held): Bounds =
    taken.find(_.of.contains(one)).getOrElse(taken.min(Bounds.Order))

  private def classify(one: Held): Unit = {
    val at      = kinds.position(one).get
    val current = of(one.message.key).map(_._1).filter(_.partition.forall(one.message.partition.contains)).lastOption
    intake.count("accepted")
    intake.count(current match {
      case Some(window) if at < window.start    => "past"
      case Some(window) if isBeyond(at, window) => "future"
      case _                                    => "in_time"
    })
  }

  private def isBeyond(position: Long, window: Bounds): Boolean =
    if (kinds.isHalfOpen) position >= window.end else position > window.end

  /** Returns the session that the message forms with the open sessions. Removes the sessions that it replaces, and
    * moves their unsent messages to it.
    */
  private def joined(key: Key, one: Held): Bounds = {
    val open      = of(key).filterNot { case (bounds, _) => hasLeft(key, bounds, before) }
    val everybody = open.flatMap(_._2.members) :+ one
    val session   = kinds.all(everybody).find(kinds.contents(_, everybody).contains(one)).get
    val replaced = open.filter { case (bounds, _) =>
      bounds.partition == session.partition && session.start <= bounds.start && bounds.end <= session.end
    }
    if (!replaced.exists(_._1 == session)) {
      windows --= replaced.map { case (bounds, _) => (key, bounds) }
      if (replaced.nonEmpty) windows += (key, session) ->
        Known.of(replaced.map(_._2), isComplete(key, session, before))
    }
    windows += (key, session) -> windows.getOrElse((key, session), Known()).holding(one)
    session
  }

  /** Emits the message with the first window that accepts it, now or at the end of the step (SEMANTICS R6, R15). A
    * message that completes its window of positions fires no early pane (R21).
    */
  private def comeOut(key: Key, window: Bounds, one: Held): Unit = {
    val known       = windows((key, window.identity))
    val now         = known.copy(unsent = known.unsent :+ one, since = known.since.orElse(intake.processingTime))
    val wasComplete = isComplete(key, window, before)
    val completes   = !wasComplete && isComplete(key, window, progress)
    val policy      = parts(if (wasComplete) spec.late else spec.early)
    windows += (key, window.identity) -> now
    if (!completes && policy.exists { case Every(n) => now.unsent.size >= n; case _ => false })
      fire(key, window, if (wasComplete) Timing.Late else Timing.Early, isLast = false)
  }

  private def fire(key: Key, window: Bounds, timing: Timing, isLast: Boolean): Unit = {
    val known    = windows((key, window.identity))
    val messages = known.unsent.map(_.message).sorted(Message.Order)
    panes :+= Pane(
      key,
      window.start,
      window.end,
      timing,
      known.fired,
      isLast,
      isRetraction = false,
      Content.Messages(messages.map(message => StoredValue(message.time.get, message.value))))
    windows += (key, window.identity) -> known.copy(
      unsent = Vector.empty,
      since = None,
      fired = known.fired + 1,
      isPastOnTime = known.isPastOnTime || timing != Timing.Early)
  }

  // ---- the end of a step

  private def endStep(): Emission = {
    for (key <- stored.keys.toSeq; (window, _) <- of(key)) settle(key, window)
    stored.keys.toSeq.foreach(retire)
    val emission = Emission(panes = panes, rejected = intake.takeRejected())
    panes = Vector.empty
    emission
  }

  private def isComplete(key: Key, window: Bounds, at: ReferenceProgress): Boolean =
    completion.isComplete(key, window, held(key), at)

  private def hasLeft(key: Key, window: Bounds, at: ReferenceProgress): Boolean =
    completion.hasLeft(key, window, held(key), at)

  private def settle(key: Key, window: Bounds): Unit = {
    val known    = windows((key, window.identity))
    val complete = isComplete(key, window, progress)
    val isLast   = hasLeft(key, window, progress)
    val owes     = complete && spec.onTime && !known.isPastOnTime
    val isDue = parts(if (complete) spec.late else spec.early).exists {
      case EachMessage | EachBatch => true
      case EveryPeriod(period) =>
        known.since.zip(intake.processingTime).exists { case (from, now) =>
          Math.floorDiv(now, period.micros) > Math.floorDiv(from, period.micros)
        }
      case _ => false
    }
    if (known.unsent.nonEmpty && (owes || isLast || isDue)) {
      val timing =
        if (!complete) Timing.Early
        else if (owes && !isComplete(key, window, before)) Timing.OnTime
        else Timing.Late
      fire(key, window, timing, isLast)
    }
    if (complete)
      windows += (key, window.identity) -> windows((key, window.identity)).copy(isPastOnTime = true)
  }

  /** Decides for every message by itself whether it stays (SEMANTICS R10), and for every closed window whether it still
    * has a message.
    */
  private def retire(key: Key): Unit = {
    val newestFirst = held(key).sorted(Held.ByTime).reverse
    val open        = of(key).filterNot { case (window, _) => spec.window == Global || hasLeft(key, window, progress) }
    val from        = open.map { case (window, known) => protectedFrom(window, known) }.minOption
    val kept = newestFirst.zipWithIndex.collect {
      case (one, rank)
          if from.exists(_ <= one.time) ||
            (!isOld(one.message, progress.watermark) && spec.retention.messages.forall(rank < _)) => one
    }
    stored += key -> held(key).filter(kept.contains)
    val gone = of(key).collect {
      case (window, known)
          if known.unsent.isEmpty && !open.exists(_._1 == window) && !known.members.exists(kept.contains) =>
        (key, window.identity)
    }
    windows --= gone
  }

  /** Returns the time from which retention removes nothing. A window of everything before a message protects only this
    * message.
    */
  private def protectedFrom(window: Bounds, known: Known): Long =
    if (spec.window == Over.Everything) window.of.get.time else known.members.map(_.time).min

  // ---- the state

  private def held(key: Key): Vector[Held] = stored.getOrElse(key, Vector.empty)

  /** Returns the windows in the order of their starts. Windows of `Over` have their current start. */
  private def of(key: Key): Seq[(Bounds, Known)] = windows.collect { case ((`key`, identity), known) =>
    (identity.of.fold(identity)(overBounds(key, _)), known)
  }.toSeq.sortBy(_._1)(Bounds.Order.orElse(Ordering.by[Bounds, Option[Held]](_.of)(Ordering.Option(Held.ByTime))))

  private def overBounds(key: Key, one: Held): Bounds =
    kinds.all(if (held(key).contains(one)) held(key) else held(key) :+ one).find(_.of.contains(one)).get

  private def parts(trigger: PaneTrigger): Seq[PaneTrigger] = trigger match {
    case AnyOf(triggers) => triggers.flatMap(parts)
    case one             => Seq(one)
  }

  def ask(query: Query): Answer = query match {
    case Query.Counters => Answer.Counters(intake.counters)
    case Query.GetMessages(start, end, key, axis) =>
      val found =
        stored.values.flatten.map(_.message).filter(message => key.forall(_ == message.key)).filter { message =>
          val at = if (axis == Query.ByTime) message.time else message.offset
          at.exists(position => start.forall(_ <= position) && end.forall(position <= _)) || (start ++ end).isEmpty
        }
      Answer.Messages(inOrder(found.toSeq, axis).map(message =>
        StoredMessage(message.key, message.time.get, message.value, message.offset)))
    case Query.GetWindows(start, end, key) =>
      val found = for {
        of              <- stored.keys.toSeq if key.forall(_ == of)
        (window, known) <- this.of(of) if window.start <= end && !isBeyond(start, window)
      } yield {
        val offsets = known.members.flatMap(_.message.offset)
        WindowRow(of, window.start, window.end, offsets.minOption, offsets.maxOption, known.members.size.toLong)
      }
      Answer.Windows(found.sortBy(row => (row.start, row.end, row.key == Value.Null, row.key)))
  }

  private def inOrder(messages: Seq[Message], axis: Query.Axis): Seq[Message] = axis match {
    case Query.ByTime   => messages.sorted(Message.Order)
    case Query.ByOffset => messages.sortBy(message => (message.offset, message.partition))
  }
}

private[windrow] object ReferenceFullState {

  /** @param members
    *   messages that the window ever accepted
    */
  final case class Known(
      members: Vector[Held] = Vector.empty,
      unsent: Vector[Held] = Vector.empty,
      since: Option[Long] = None,
      fired: Long = 0,
      isPastOnTime: Boolean = false) {
    def holding(one: Held): Known = copy(members = members :+ one)
  }

  object Known {

    /** A session that replaces others (SEMANTICS R79, R84). */
    def of(replaced: Seq[Known], isComplete: Boolean): Known = Known(
      replaced.flatMap(_.members).toVector,
      replaced.flatMap(_.unsent).toVector,
      replaced.flatMap(_.since).minOption,
      fired = 0,
      isComplete && replaced.forall(_.isPastOnTime))
  }
}
