package windrow.core.policy

import windrow.{By, ByCount, ByDelta, ByTime, Eviction}

/** Receives the events of a window as they happen.
  *
  * @tparam B
  *   buffer of a message
  */
private[policy] trait EventReceiver[B] {

  /** @param messages
    *   inserted or evicted messages; must be evaluated during the call, if at all
    */
  def apply(kind: EventKind, partition: Partition[B], messages: => Vector[EventMessage[B]]): Unit
}

/** Computes the effect of a message, the clock or a marker on a window: its events in order, and the window afterwards
  * (SEMANTICS P). The window's messages are changed in place, its other fields are not.
  */
private[policy] sealed trait PolicyRules {

  /** Inserts a message.
    *
    * @param partition
    *   the window before the message; newly created for the first message
    * @param mark
    *   the message's value of the column that a trigger by delta uses
    */
  def insert[B](partition: Partition[B], message: HeldMessage[B], mark: Double)(emit: EventReceiver[B]): Partition[B]

  /** Applies the processing time of a step; returns None if it changes nothing. */
  def tick[B](partition: Partition[B], now: Long)(emit: EventReceiver[B]): Option[Partition[B]]

  /** The processing time at which `tick` has an effect if nothing happens before. */
  def deadline(partition: Partition[_]): Option[Long]

  /** Whether a marker empties the window. */
  def isPunctuated: Boolean = false

  protected def inserted[B](partition: Partition[B], message: HeldMessage[B])(emit: EventReceiver[B]): Partition[B] = {
    emit(EventKind.Insertion, partition, Vector(message.message))
    partition.held.add(message)
    partition.copy(inserted = partition.inserted + 1, touched = message.at)
  }
}

private[policy] object PolicyRules {
  def apply(eviction: Eviction): PolicyRules = eviction match {
    case Eviction.Tumbling(by)         => new TumblingRules(Some(by))
    case Eviction.ByPunctuation(_)     => new TumblingRules(None)
    case Eviction.Sliding(by, trigger) => new SlidingRules(by, trigger)
  }

  /** Evicts all messages. */
  def emptied[B](partition: Partition[B])(emit: EventReceiver[B]): Unit = {
    emit(EventKind.Eviction, partition, partition.held.messages)
    partition.held.clear()
  }
}

/** Rules of tumbling windows.
  *
  * @param by
  *   the policy of eviction; None if only markers empty the window
  */
private[policy] final class TumblingRules(by: Option[By]) extends PolicyRules {
  import PolicyRules.emptied

  override def isPunctuated: Boolean = by.isEmpty

  def insert[B](
      partition: Partition[B],
      message: HeldMessage[B],
      mark: Double)(emit: EventReceiver[B]): Partition[B] = {
    by match {
      case Some(ByDelta(_, delta))
          if partition.held.oldest.exists(oldest => message.value > partition.valueOf(oldest) + delta) =>
        emptied(partition)(emit)
      case _ => ()
    }
    val now = inserted(partition, message)(emit)
    by match {
      case Some(ByCount(n)) => if (now.held.size >= n) emptied(now)(emit)
      case _                => ()
    }
    now
  }

  /** Tumbles once for all overdue periods; the next period starts now (SEMANTICS R63). An empty window tumbles, too. */
  def tick[B](partition: Partition[B], now: Long)(emit: EventReceiver[B]): Option[Partition[B]] =
    Option.when(deadline(partition).exists(_ <= now)) {
      emptied(partition)(emit)
      partition.copy(tumbled = now)
    }

  def deadline(partition: Partition[_]): Option[Long] =
    by.collect { case ByTime(period) => partition.tumbled + period.micros }
}

/** Rules of sliding windows. */
private[policy] final class SlidingRules(by: By, trigger: By) extends PolicyRules {

  def insert[B](
      partition: Partition[B],
      message: HeldMessage[B],
      mark: Double)(emit: EventReceiver[B]): Partition[B] = {
    val begun = fullFromTheStart(partition)(emit)
    expire(begun, message.at)(emit)
    val marked = triggerByDelta(begun, mark)(emit)
    val roomy  = makeRoom(marked, message)(emit)
    val full   = fullByCount(inserted(roomy, message)(emit))(emit)
    triggerByCount(full)(emit)
    full
  }

  private def raise[B](kind: EventKind, partition: Partition[B])(emit: EventReceiver[B]): Unit =
    emit(kind, partition, partition.held.messages)

  private def full[B](partition: Partition[B])(emit: EventReceiver[B]): Partition[B] = {
    raise(EventKind.InitialFull, partition)(emit)
    partition.copy(isFull = true)
  }

  /** A time-based window is full before its first message (SEMANTICS R64). */
  private def fullFromTheStart[B](partition: Partition[B])(emit: EventReceiver[B]): Partition[B] = by match {
    case ByTime(_) if !partition.isFull => full(partition)(emit)
    case _                              => partition
  }

  /** Evicts messages that are older than the period; those of exactly its age stay. Returns whether any was evicted. */
  private def expire[B](partition: Partition[B], now: Long)(emit: EventReceiver[B]): Boolean = by match {
    case ByTime(period) =>
      def isOld(at: Long) = now - at > period.micros
      evicted(partition, partition.held.take(some => isOld(some.earliest))(held => isOld(held.at)))(emit)
    case _ => false
  }

  private def evicted[B](partition: Partition[B], out: Vector[EventMessage[B]])(emit: EventReceiver[B]): Boolean = {
    if (out.nonEmpty) emit(EventKind.Eviction, partition, out)
    out.nonEmpty
  }

  private def triggerByDelta[B](partition: Partition[B], value: Double)(emit: EventReceiver[B]): Partition[B] =
    trigger match {
      case ByDelta(_, delta) if partition.inserted > 0 && value > partition.mark + delta =>
        raise(EventKind.Trigger, partition)(emit)
        partition.copy(mark = value)
      case _ => partition
    }

  private def makeRoom[B](partition: Partition[B], message: HeldMessage[B])(emit: EventReceiver[B]): Partition[B] =
    by match {
      case ByCount(n) if partition.held.size >= n =>
        evicted(partition, partition.held.takeOldest())(emit): Unit
        partition
      case ByDelta(_, delta) =>
        val now =
          if (!partition.isFull && message.value > partition.first + delta) full(partition)(emit) else partition
        val bound = message.value - delta
        val out   = partition.held.take(_.isBelow(bound, partition.first))(partition.valueOf(_) < bound)
        evicted(now, out)(emit): Unit
        now
      case _ => partition
    }

  private def fullByCount[B](partition: Partition[B])(emit: EventReceiver[B]): Partition[B] = by match {
    case ByCount(n) if !partition.isFull && partition.held.size == n => full(partition)(emit)
    case _                                                           => partition
  }

  private def triggerByCount[B](partition: Partition[B])(emit: EventReceiver[B]): Unit = trigger match {
    case ByCount(n) if partition.inserted % n == 0 => raise(EventKind.Trigger, partition)(emit)
    case _ => ()
  }

  def tick[B](partition: Partition[B], now: Long)(emit: EventReceiver[B]): Option[Partition[B]] = {
    val expired = expire(partition, now)(emit)
    if (nextTrigger(partition).exists(_ <= now)) {
      raise(EventKind.Trigger, partition)(emit)
      Some(partition.copy(checked = now))
    } else Option.when(expired)(partition)
  }

  /** Triggers are due at multiples of the period since the partition's creation; those that pass within one step are a
    * single trigger.
    */
  private def nextTrigger(partition: Partition[_]): Option[Long] = trigger match {
    case ByTime(period) =>
      val passed = Math.floorDiv(partition.checked - partition.created, period.micros)
      Some(partition.created + (passed + 1) * period.micros)
    case _ => None
  }

  def deadline(partition: Partition[_]): Option[Long] = {
    val expiry = by match {
      case ByTime(period) => partition.held.earliest.map(_ + period.micros + 1) // also if the clock was set back
      case _              => None
    }
    (expiry ++ nextTrigger(partition)).minOption
  }
}
