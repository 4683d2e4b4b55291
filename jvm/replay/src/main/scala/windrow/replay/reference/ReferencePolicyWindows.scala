package windrow.replay

import windrow._

/** The slow reference of policy windows: the table of SEMANTICS P, row by row, on plain lists. A restart changes
  * nothing. Limits are totals.
  */
private[windrow] final class ReferencePolicyWindows(spec: PolicyWindowSpec, show: ReferencePanes.Show) {
  private var partitions = Map.empty[Scalar, ReferencePartition]
  private var applied    = Set.empty[(Option[String], Int, Long)]
  private var now        = 0L
  private var turns      = 0L
  private var events     = Vector.empty[PolicyEvent]
  private var panes      = Vector.empty[Emission.ContentPane]

  def run(transcript: TranscriptCase): Outcome.Ran = {
    val results = transcript.steps.map {
      case feed: Step.Feed => StepResult.Emitted(step(feed))
      case Step.Restart    => StepResult.Restarted
      case Step.Ask(_, _)  => StepResult.Answered(Answer.Refused("NO_MESSAGE_STORE"))
    }
    Outcome.Ran(results, transcript.atEnd.filter(_.isFinal).map(_ => finish()))
  }

  private def step(feed: Step.Feed): Emission = {
    feed.processingTime.foreach(now = _)
    for (message <- feed.messages.sorted(Message.ByPosition) if !message.identity.exists(applied)) {
      applied ++= message.identity
      insert(message)
      leaveByNumber()
    }
    if (feed.punctuation && spec.eviction.isInstanceOf[Eviction.ByPunctuation])
      partitions.keys.foreach(key => tumble(key, partitions(key)))
    partitions.keys.foreach(key => tick(key, partitions(key)))
    taken()
  }

  private def finish(): Emission = {
    partitions.foreach { case (key, partition) => raise(key, PolicyEvent.Final, partition.messages) }
    taken()
  }

  private def taken(): Emission = {
    val emission = Emission(panes = panes, events = events)
    events = Vector.empty
    panes = Vector.empty
    emission
  }

  private def raise(key: Scalar, kind: PolicyEvent.Kind, messages: Seq[Message]): Unit =
    events :+= PolicyEvent(key, kind, messages.map(_.value))

  private def set(key: Scalar)(change: ReferencePartition => ReferencePartition): Unit =
    partitions += key -> change(partitions(key))

  /** P6: fires one pane over these messages, numbered in the partition. */
  private def fire(key: Scalar, messages: Seq[Message]): Unit = {
    val number = partitions(key).panes
    panes :+= Pane(key, number, number, Timing.OnTime, 0, isLast = true, isRetraction = false, show(messages, None))
    set(key)(_.copy(panes = number + 1))
  }

  private def insert(message: Message): Unit = {
    val key = message.key
    if (!partitions.contains(key)) {
      partitions += key -> ReferencePartition(created = now, tumbled = now, asked = now)
      if (isSlidingBy { case ByTime(_) => true }) full(key) // P5: before the insertion that creates the partition
    }
    set(key)(before => before.copy(came = before.came :+ ReferencePartition.attribute(message)))
    val value = partitions(key).newest
    spec.eviction match {
      case Eviction.Tumbling(ByCount(n)) =>
        enter(message)
        if (partitions(key).inside.size == n) tumble(key, partitions(key))
      case Eviction.Tumbling(ByDelta(_, delta)) =>
        if (partitions(key).inside.headOption.exists(oldest => value > partitions(key).value(oldest.number) + delta))
          tumble(key, partitions(key))
        enter(message)
      case Eviction.Tumbling(ByTime(_)) => enter(message)
      case Eviction.ByPunctuation(_) =>
        enter(message)
        if (message.marker) tumble(key, partitions(key))
      case Eviction.Sliding(by, trigger) => slide(message, by, trigger)
    }
  }

  private def enter(message: Message): Unit = {
    set(message.key) { before =>
      val inside = before.inside :+ ReferencePartition.Inside(message, now, before.inserted.toInt)
      before.copy(inside = inside, inserted = before.inserted + 1, touched = now, turn = turns)
    }
    turns += 1
    raise(message.key, PolicyEvent.Insertion, Seq(message))
  }

  /** P3, in its order. */
  private def slide(message: Message, by: By, trigger: By): Unit = {
    val key   = message.key
    val value = partitions(key).newest
    expire(key)
    trigger match {
      case ByDelta(_, delta)
          if partitions(key).inserted > 0 && value > partitions(key).value(partitions(key).marked) + delta =>
        triggered(key)
        set(key)(before => before.copy(marked = before.came.size - 1))
      case _ => ()
    }
    by match {
      case ByCount(n) if partitions(key).inside.size == n => evict(key, partitions(key).inside.take(1))
      case ByDelta(_, delta) =>
        if (!partitions(key).isFull && value > partitions(key).value(0) + delta) full(key)
        evict(key, partitions(key).inside.filter(one => partitions(key).value(one.number) < value - delta))
      case _ => ()
    }
    enter(message)
    by match {
      case ByCount(n) if !partitions(key).isFull && partitions(key).inside.size == n => full(key)
      case _                                                                         => ()
    }
    trigger match {
      case ByCount(n) if partitions(key).inserted % n == 0 => triggered(key)
      case _ => ()
    }
  }

  private def isSlidingBy(which: PartialFunction[By, Boolean]): Boolean = spec.eviction match {
    case Eviction.Sliding(by, _) => which.applyOrElse(by, (_: By) => false)
    case _                       => false
  }

  private def full(key: Scalar): Unit = {
    raise(key, PolicyEvent.InitialFull, partitions(key).messages)
    set(key)(_.copy(isFull = true))
  }

  private def triggered(key: Scalar): Unit = {
    raise(key, PolicyEvent.Trigger, partitions(key).messages)
    fire(key, partitions(key).messages)
  }

  private def tumble(key: Scalar, partition: ReferencePartition): Unit = {
    raise(key, PolicyEvent.Eviction, partition.messages)
    fire(key, partition.messages)
    set(key)(_.copy(inside = Nil))
  }

  /** Removes messages from the window. Raises no event if there are none. */
  private def evict(key: Scalar, out: Seq[ReferencePartition.Inside]): Unit = if (out.nonEmpty) {
    raise(key, PolicyEvent.Eviction, out.map(_.message))
    set(key)(before => before.copy(inside = before.inside.diff(out)))
  }

  /** Removes messages that are older than the period. A message exactly as old as the period stays. */
  private def expire(key: Scalar, at: Long = now): Unit = spec.eviction match {
    case Eviction.Sliding(ByTime(period), _) => evict(key, partitions(key).inside.filter(at - _.at > period.micros))
    case _                                   => ()
  }

  /** Applies the processing time: P2, P4, and the age of P7, after everything that was due before it. */
  private def tick(key: Scalar, partition: ReferencePartition): Unit = {
    val leaves = spec.limits.idle.map(partition.touched + _.micros + 1).filter(_ <= now)
    due(key, partition, leaves.getOrElse(now))
    if (leaves.nonEmpty) leave(key)
  }

  private def due(key: Scalar, partition: ReferencePartition, at: Long): Unit = spec.eviction match {
    case Eviction.Tumbling(ByTime(period)) if at >= partition.tumbled + period.micros =>
      tumble(key, partition)
      set(key)(_.copy(tumbled = at))
    case Eviction.Sliding(_, trigger) =>
      expire(key, at)
      trigger match {
        case ByTime(period) =>
          def passed(at: Long) = Math.floorDiv(at - partition.created, period.micros)
          if (passed(at) > passed(partition.asked)) {
            triggered(key)
            set(key)(_.copy(asked = at))
          }
        case _ => ()
      }
    case _ => ()
  }

  private def leave(key: Scalar): Unit = {
    raise(key, PolicyEvent.PartitionEviction, partitions(key).messages)
    partitions -= key
  }

  /** P7: removes partitions while there are too many keys or too many messages in total; empty ones first, then the one
    * whose last message is oldest.
    */
  private def leaveByNumber(): Unit = {
    def isTooMuch = spec.limits.maxKeys.exists(partitions.size > _) ||
      spec.limits.maxRows.exists(partitions.values.map(_.inside.size).sum > _)
    while (isTooMuch) leave(partitions.minBy { case (_, one) => (one.inside.nonEmpty, one.turn) }._1)
  }
}

/** The window of one key. All times are processing time.
  *
  * @param tumbled
  *   when it last tumbled by time, or was created
  * @param asked
  *   when a trigger by time last fired, or the partition was created
  * @param came
  *   values of all messages ever received
  * @param marked
  *   the number of the message by which a trigger by delta fired last
  * @param inside
  *   messages in the window, oldest first
  * @param touched
  *   when its last message arrived
  * @param turn
  *   the number of that message among all messages
  */
private[windrow] final case class ReferencePartition(
    created: Long,
    tumbled: Long,
    asked: Long,
    came: Vector[Option[Double]] = Vector.empty,
    marked: Int = 0,
    inside: Seq[ReferencePartition.Inside] = Nil,
    inserted: Long = 0,
    isFull: Boolean = false,
    touched: Long = 0,
    turn: Long = 0,
    panes: Long = 0) {
  def messages: Seq[Message] = inside.map(_.message)

  def newest: Double = value(came.size - 1)

  /** Returns the value of a message. A message without a value has that of the one before it; before the first value,
    * that one counts (SEMANTICS R89).
    */
  def value(number: Int): Double =
    came.lift(came.lastIndexWhere(_.isDefined, number)).orElse(came.find(_.isDefined)).flatten.getOrElse(0.0)
}

private[windrow] object ReferencePartition {

  /** @param number
    *   among all messages ever received
    */
  final case class Inside(message: Message, at: Long, number: Int)

  /** The attribute that a delta compares: the value, the only attribute of a transcript's message. */
  def attribute(message: Message): Option[Double] = message.value match {
    case Value.Whole(number) => Some(number.toDouble)
    case Value.Null          => None
    case _                   => Some(0.0)
  }
}
