package windrow.testkit

import windrow._
import windrow.testkit.Emission.ContentPane

/** The slow, obviously right windowed aggregation: it keeps the messages themselves and works out windows and values
  * anew whenever it needs them. Written from the rules alone; everything fast is compared with it.
  *
  * @param show
  *   what a pane shows of its messages
  */
private[testkit] final class ReferenceOperator(spec: WindowOperatorSpec, show: ReferencePanes.Show)
    extends StepwiseOperator {
  private val windows    = ReferenceWindows(spec)
  private val completion = new ReferenceCompletion(spec, windows)
  private val panes      = new ReferencePanes(spec, show, windows)
  private val gaps       = new ReferenceGaps(spec, windows)

  private var before         = ReferenceProgress() // the step
  private var progress       = ReferenceProgress()
  private var processingTime = Option.empty[Long]
  private var counts         = ReferenceCounts()
  private var applied        = Set.empty[(Option[String], Int, Long)]

  /** Accepted messages, but of sessions those that have left. */
  private var log = Map.empty[Scalar, Vector[Held]]

  private var histories = Map.empty[(Scalar, Bounds), ReferenceHistory]

  /** Windows that take nothing any more. */
  private var gone = Set.empty[(Scalar, Bounds)]

  private val fired    = Seq.newBuilder[ContentPane]
  private val rejected = Seq.newBuilder[RejectedMessage]

  def ask(query: Query): Answer = query match {
    case Query.Counters => Answer.Counters(counts.named)
    case _              => Answer.Refused("NO_MESSAGE_STORE")
  }

  /** Its log is all that it has. */
  def restart(): Unit = ()

  /** Messages, then the watermark, then processing time; None leaves it as it is. All in microseconds.
    *
    * What the messages do is judged by the watermark before them (SEMANTICS T), by processing time as the step gives it
    * (R81).
    */
  def step(messages: Seq[Message], watermark: Option[Long], processingTime: Option[Long]): Emission = {
    processingTime.foreach(clock)
    before = progress
    messages.sorted(windows.order).foreach(process)
    progress = progress.advanced(watermark)
    endStep()
  }

  /** The input is over: every window is complete. */
  def finish(): Emission = {
    before = progress
    progress = progress.over
    endStep()
  }

  /** Before the first processing time a period counts from the first one seen (SEMANTICS R14). */
  private def clock(now: Long): Unit = {
    if (processingTime.isEmpty)
      histories = histories.map { case (window, known) =>
        window -> (if (known.unsent.isEmpty) known else known.copy(since = Some(now)))
      }
    processingTime = Some(now)
  }

  private def endStep(): Emission = {
    gaps.fill(before, progress)
    for (key <- log.keys.toSeq; window <- existing(key)) {
      complete(key, window)
      fireAtStepEnd(key, window)
    }
    log.keys.foreach(leave)
    val emission = Emission(fired.result(), rejected.result())
    fired.clear()
    rejected.clear()
    emission
  }

  // ---- messages (SEMANTICS A, in its order)

  private def process(message: Message): Unit =
    if (message.identity.exists(applied)) counts = counts.copy(replays = counts.replays + 1)
    else {
      applied ++= message.identity
      val number  = progress.sequence(message.key)
      val earlier = progress
      progress = progress.seeing(message)
      val own = windows.own(message, number)
      if (message.time.isEmpty || windows.position(Held(message, number)).isEmpty || isGapBroken(message))
        reject(message, Reason.InvalidTime)
      else if (isTooFarAhead(message)) reject(message, Reason.TooFarAhead)
      else if (own.isEmpty) {
        counts = counts.copy(gaps = counts.gaps + 1)
        progress = progress.numbering(message.key)
      } else if (own.forall(completion.isRefused(message, _, before)))
        reject(message, if (completion.isOutOfRetention(message, before)) Reason.OutOfRetention else Reason.TooLate)
      else {
        progress = progress.numbering(message.key)
        accept(Held(message, number), earlier)
      }
      if (movesByMessages) settle()
    }

  private def isGapBroken(message: Message): Boolean = spec.window match {
    case Session(gap) => message.gap.orElse(gap.map(_.micros)).forall(_ <= 0)
    case _            => false
  }

  private def isTooFarAhead(message: Message): Boolean =
    spec.maxFuture.zip(processingTime).exists { case (ahead, now) =>
      message.time.exists(_ > Bounds.plus(now, ahead.micros))
    }

  private def reject(message: Message, reason: Reason): Unit = {
    counts = counts.copy(rejected = counts.rejected + 1)
    rejected += message.rejected(reason)
  }

  /** @param earlier
    *   progress before the message
    */
  private def accept(message: Held, earlier: ReferenceProgress): Unit = {
    val key     = message.message.key
    val was     = existing(key)
    val wasHeld = held(key)
    windows.position(message).foreach(at =>
      counts = counts.accepting(at, was.filter(isComparable(message, _)).maxOption(Bounds.Order), windows.isHalfOpen))
    log += key -> (held(key) :+ message)
    forgetClosed(key, was)
    val is       = existing(key)
    val same     = was.map(_.identity).toSet
    val replaced = was.filterNot(window => is.exists(_.identity == window.identity))
    replaced.foreach(window => fired ++= panes.replaced(history(key, window)))
    is.foreach { window =>
      if (!same(window.identity)) {
        gaps.reach(key, window)
        val news = if (replaced.isEmpty) windows.contents(window, held(key)) else Seq(message)
        update(key, window, replaced.map(history(key, _)), news, earlier)
      } else if (windows.contents(window, held(key)) != windows.contents(window, wasHeld)) {
        gaps.reach(key, window)
        update(key, window, Seq(history(key, window)), Seq(message), earlier)
      }
    }
  }

  /** Offsets of different partitions are not compared (SEMANTICS R7). */
  private def isComparable(message: Held, window: Bounds): Boolean =
    window.partition.forall(message.message.partition.contains)

  /** Windows that the message would make, but that are past their lateness, never come into being. */
  private def forgetClosed(key: Scalar, was: Seq[Bounds]): Unit =
    gone ++= existing(key).filterNot(window => was.exists(_.identity == window.identity))
      .filter(completion.hasLeft(key, _, held(key), before)).map(window => (key, window.identity))

  /** Messages more for a window.
    *
    * @param origins
    *   the window itself, or the sessions that it replaces (R84: their unsent messages are now its own); empty for a new
    *   window
    */
  private def update(
      key: Scalar,
      window: Bounds,
      origins: Seq[ReferenceHistory],
      news: Seq[Held],
      earlier: ReferenceProgress): Unit = {
    val wasComplete = completion.isComplete(key, window, held(key), earlier)
    val isComplete  = completion.isComplete(key, window, held(key), progress)
    val hasFired    = origins.nonEmpty && origins.forall(_.isPastOnTime)
    val isLate      = if (origins.isEmpty) wasComplete else hasFired && isComplete
    val known = history(key, window).copy(
      unsent = origins.flatMap(_.unsent) ++ news,
      updates = origins.map(_.updates).sum + 1,
      since = (origins.flatMap(_.since) ++ processingTime).minOption,
      isPastOnTime = isLate)
    histories += (key, window.identity) -> known
    if (isLate) {
      val isFirst = spec.onTime && !hasFired && !ReferencePolicy.waitsForStepEnd(spec.late) // R79
      if (isFirst || ReferencePolicy.firesAtMessage(spec.late, known.updates)) fire(key, window, Timing.Late)
    } else if (!isComplete && ReferencePolicy.firesAtMessage(spec.early, known.updates))
      fire(key, window, Timing.Early)
  }

  // ---- completion

  /** Windows can complete between the messages of a step (SEMANTICS R7, R21). */
  private val movesByMessages: Boolean =
    spec.complete == Completion.ByFirstMessageBeyond || (spec.window match {
      case _: TupleWindows => true
      case _               => false
    })

  private def settle(): Unit = log.keys.foreach { key =>
    existing(key).foreach(complete(key, _))
    leave(key)
  }

  private def complete(key: Scalar, window: Bounds): Unit =
    if (!history(key, window).isPastOnTime && completion.isComplete(key, window, held(key), progress)) {
      if (spec.onTime) fire(key, window, Timing.OnTime) // R16
      histories += (key, window.identity) -> history(key, window).copy(isPastOnTime = true)
    }

  private def fireAtStepEnd(key: Scalar, window: Bounds): Unit = {
    val known             = history(key, window)
    val (trigger, timing) = if (known.isPastOnTime) (spec.late, Timing.Late) else (spec.early, Timing.Early)
    if (known.unsent.nonEmpty && ReferencePolicy.firesAtStepEnd(trigger, known.since, processingTime))
      fire(key, window, timing)
  }

  /** What is unsent when a window leaves comes out in a last pane (SEMANTICS R80). */
  private def leave(key: Scalar): Unit = {
    val left = existing(key).filter(completion.hasLeft(key, _, held(key), progress))
    left.filter(history(key, _).unsent.nonEmpty).foreach(fire(key, _, Timing.Late))
    gone ++= left.map(window => (key, window.identity))
    spec.window match {
      case _: Session | _: TupleSession =>
        log += key -> held(key).diff(left.flatMap(windows.contents(_, held(key))))
      case _ => ()
    }
  }

  // ---- what is there

  private def held(key: Scalar): Vector[Held] = log.getOrElse(key, Vector.empty)

  /** The windows of a key that still take messages, by start. */
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
