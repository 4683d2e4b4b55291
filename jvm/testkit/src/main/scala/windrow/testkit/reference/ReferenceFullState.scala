package windrow.testkit

import windrow._
import windrow.testkit.Emission.ContentPane
import windrow.testkit.ReferenceFullState._

/** The slow, obviously right full-state operator: of each window it keeps the messages that it ever accepted, and at the
  * end of each step it looks at every window and every message.
  */
private[testkit] final class ReferenceFullState(spec: FullStateSpec) extends StepwiseOperator {
  private type Key = Scalar

  private val lateness = spec.lateness.micros
  private val intake   = new ReferenceIntake(spec.maxFuture)

  private var watermark = Option.empty[Long]
  private var windows   = Map.empty[(Key, Bounds), Known]
  private var stored    = Map.empty[Key, Vector[Message]]
  private var panes     = Vector.empty[ContentPane]

  def step(messages: Seq[Message], watermark: Option[Long], processingTime: Option[Long]): Emission = {
    val isFirstClock = intake.processingTime.isEmpty && processingTime.isDefined
    intake.processingTime = processingTime.orElse(intake.processingTime)
    messages.sorted(Message.Order).foreach(message => intake(message)(place(message, _)))
    if (isFirstClock) windows = windows.view.mapValues(known =>
      if (known.unsent.isEmpty || known.since.isDefined) known else known.copy(since = intake.processingTime)).toMap
    advance(watermark.fold(this.watermark)(to => Some(this.watermark.fold(to)(math.max(_, to)))))
  }

  def finish(): Emission = advance(Some(Long.MaxValue))

  def restart(): Unit = ()

  // ---- messages

  /** The windows that a message would make alone. */
  private def own(message: Message): Seq[Bounds] = spec.window match {
    case fixed: FixedWindows => new ReferenceWindows.Fixed(fixed).own(message, 0)
    case calendar: Calendar  => new ByCalendar(calendar).own(message, 0)
    case Session(gap)        => new ReferenceWindows.Sessions(gap.map(_.micros)).own(message, 0)
    case _                   => Seq(Everything)
  }

  private def sessions(messages: Seq[Message]): Seq[Bounds] = spec.window match {
    case Session(gap) => new ReferenceWindows.Sessions(gap.map(_.micros)).all(messages.map(Held(_, 0)))
    case _            => Nil
  }

  private def place(message: Message, time: Long): Unit = {
    val bounds = own(message)
    if (isGapBroken(message)) intake.reject(message, Reason.InvalidTime)
    else if (bounds.isEmpty) intake.count("gaps")
    else if (bounds.forall(isPastLateness(_, watermark)))
      intake.reject(message, if (isOld(message, watermark)) Reason.OutOfRetention else Reason.TooLate)
    else accept(message, time)
  }

  private def isGapBroken(message: Message): Boolean = spec.window match {
    case Session(gap) => message.gap.orElse(gap.map(_.micros)).forall(_ <= 0)
    case _            => false
  }

  private def holds(window: Bounds, message: Message): Boolean =
    message.time.exists(time => window.start <= time && time < window.end)

  private def isOld(message: Message, at: Option[Long]): Boolean =
    at.zip(spec.retention.time).exists { case (w, span) =>
      message.time.exists(_ < (if (w == Long.MaxValue) w else w - span.micros))
    }

  private def accept(message: Message, time: Long): Unit = {
    val key = message.key
    classify(of(key).lastOption.map(_._1), time)
    stored += key -> (stored.getOrElse(key, Vector.empty) :+ message)
    val open = of(key).filterNot { case (bounds, _) => isPastLateness(bounds, watermark) }
    val taken = spec.window match {
      case _: Session => Seq(joined(key, open, message))
      case _          => own(message).filterNot(isPastLateness(_, watermark))
    }
    taken.foreach(bounds => windows += (key, bounds) -> known(key, bounds).holding(message))
    comeOut(key, taken.min(Bounds.Order), message)
  }

  private def classify(current: Option[Bounds], time: Long): Unit = {
    intake.count("accepted")
    intake.count(current match {
      case Some(window) if time < window.start => "past"
      case Some(window) if time >= window.end  => "future"
      case _                                   => "in_time"
    })
  }

  /** The session that the message makes of the open ones; those that it replaces go, and what waits in them moves on. */
  private def joined(key: Key, open: Seq[(Bounds, Known)], message: Message): Bounds = {
    val everybody = open.flatMap(_._2.members) :+ message
    val session   = sessions(everybody).find(holds(_, message)).get
    val replaced  = open.filter { case (bounds, _) => session.start <= bounds.start && bounds.end <= session.end }
    if (!replaced.exists(_._1 == session)) {
      windows --= replaced.map { case (bounds, _) => (key, bounds) }
      if (replaced.nonEmpty) windows += (key, session) -> Known.of(replaced.map(_._2))
    }
    session
  }

  /** The message comes out with the first window that takes it, now or at the end of the step (SEMANTICS R6, R15). */
  private def comeOut(key: Key, bounds: Bounds, message: Message): Unit = {
    val before     = known(key, bounds)
    val now        = before.copy(unsent = before.unsent :+ message, since = before.since.orElse(intake.processingTime))
    val isComplete = reached(bounds.end, watermark)
    val policy     = parts(if (isComplete) spec.late else spec.early)
    windows += (key, bounds) -> now
    if (policy.exists { case Every(n) => now.unsent.size >= n; case _ => false })
      fire(key, bounds, if (isComplete) Timing.Late else Timing.Early, isLast = false)
  }

  private def fire(key: Key, bounds: Bounds, timing: Timing, isLast: Boolean): Unit = {
    val known    = windows((key, bounds))
    val messages = known.unsent.sorted(Message.Order).map(message => StoredValue(message.time.get, message.value))
    panes :+= Pane(
      key,
      bounds.start,
      bounds.end,
      timing,
      known.fired,
      isLast,
      isRetraction = false,
      Content.Messages(messages))
    windows += (key, bounds) -> known.copy(
      unsent = Vector.empty,
      since = None,
      fired = known.fired + 1,
      isPastOnTime = known.isPastOnTime || timing != Timing.Early)
  }

  // ---- the end of a step

  private def advance(to: Option[Long]): Emission = {
    val before = watermark
    watermark = to
    windows.keys.toSeq.foreach { case (key, bounds) => settle(key, bounds, before) }
    stored.keys.toSeq.foreach(retire)
    val emission = Emission(panes = panes, rejected = intake.takeRejected())
    panes = Vector.empty
    emission
  }

  private def settle(key: Key, bounds: Bounds, before: Option[Long]): Unit = {
    val known      = windows((key, bounds))
    val isComplete = reached(bounds.end, watermark)
    val isLast     = isPastLateness(bounds, watermark)
    val owes       = isComplete && spec.onTime && !known.isPastOnTime
    val isDue = parts(if (isComplete) spec.late else spec.early).exists {
      case EachMessage | EachStep => true
      case EveryPeriod(period) =>
        known.since.zip(intake.processingTime).exists { case (from, now) =>
          Math.floorDiv(now, period.micros) > Math.floorDiv(from, period.micros)
        }
      case _ => false
    }
    if (known.unsent.nonEmpty && (owes || isLast || isDue)) {
      val timing =
        if (!isComplete) Timing.Early
        else if (owes && !reached(bounds.end, before)) Timing.OnTime
        else Timing.Late
      fire(key, bounds, timing, isLast)
    }
    if (isComplete) windows += (key, bounds) -> windows((key, bounds)).copy(isPastOnTime = true)
  }

  /** Every message is asked by itself whether it stays (SEMANTICS R10), every closed window whether it still has one. */
  private def retire(key: Key): Unit = {
    val newestFirst = stored(key).sorted(Message.Order).reverse
    val open        = of(key).map(_._1).filter(window => window != Everything && !isPastLateness(window, watermark))
    val kept = newestFirst.zipWithIndex.collect {
      case (message, rank)
          if open.exists(holds(_, message)) ||
            (!isOld(message, watermark) && spec.retention.messages.forall(rank < _)) => message
    }
    stored += key -> kept.toVector
    val gone = of(key).collect {
      case (bounds, known)
          if known.unsent.isEmpty && !open.contains(bounds) && !known.members.exists(kept.contains) => (key, bounds)
    }
    windows --= gone
  }

  private def reached(time: Long, at: Option[Long]): Boolean = at.exists(_ >= time)

  private def isPastLateness(window: Bounds, at: Option[Long]): Boolean =
    reached(Bounds.plus(window.end, lateness), at)

  // ---- what is known

  private def of(key: Key): Seq[(Bounds, Known)] =
    windows.collect { case ((of, bounds), known) if of == key => (bounds, known) }.toSeq.sortBy(_._1)(Bounds.Order)

  private def known(key: Key, bounds: Bounds): Known = windows.getOrElse((key, bounds), Known())

  private def parts(trigger: PaneTrigger): Seq[PaneTrigger] = trigger match {
    case AnyOf(triggers) => triggers.flatMap(parts)
    case one             => Seq(one)
  }

  def ask(query: Query): Answer = query match {
    case Query.Counters => Answer.Counters(intake.counters)
    case Query.GetMessages(start, end, key, axis) =>
      val found = stored.values.flatten.filter(message => key.forall(_ == message.key)).filter { message =>
        val at = if (axis == Query.ByTime) message.time else message.offset
        at.exists(position => start.forall(_ <= position) && end.forall(position <= _)) || (start ++ end).isEmpty
      }
      Answer.Messages(inOrder(found.toSeq, axis).map(message =>
        StoredMessage(message.key, message.time.get, message.value, message.offset)))
    case Query.GetWindows(start, end, key) =>
      val found = windows.collect {
        case ((of, bounds), known) if key.forall(_ == of) && bounds.start <= end && start < bounds.end =>
          val offsets = known.members.flatMap(_.offset)
          WindowRow(of, bounds.start, bounds.end, offsets.minOption, offsets.maxOption, known.members.size.toLong)
      }
      Answer.Windows(found.toSeq.sortBy(row => (row.start, row.end, row.key == Value.Null, row.key)))
  }

  private def inOrder(messages: Seq[Message], axis: Query.Axis): Seq[Message] = axis match {
    case Query.ByTime   => messages.sorted(Message.Order)
    case Query.ByOffset => messages.sortBy(message => (message.offset, message.partition))
  }
}

private object ReferenceFullState {
  val Everything: Bounds = Bounds(Long.MinValue, Long.MaxValue)

  /** @param members
    *   messages that the window ever accepted
    */
  final case class Known(
      members: Vector[Message] = Vector.empty,
      unsent: Vector[Message] = Vector.empty,
      since: Option[Long] = None,
      fired: Long = 0,
      isPastOnTime: Boolean = false) {
    def holding(message: Message): Known = copy(members = members :+ message)
  }

  object Known {

    /** A session in the place of others (SEMANTICS R84). */
    def of(replaced: Seq[Known]): Known = Known(
      replaced.flatMap(_.members).toVector,
      replaced.flatMap(_.unsent).toVector,
      replaced.flatMap(_.since).minOption,
      fired = 0,
      replaced.forall(_.isPastOnTime))
  }
}
