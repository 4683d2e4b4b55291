package windrow.core.policy

import windrow.ByCount
import windrow.ByDelta
import windrow.ByTime
import windrow.By
import windrow.Eviction

/** What a message, the clock and a marker do to a window: events in order, and the window after them (SEMANTICS P).
  * Nothing is changed in place.
  */
sealed trait PolicyRules {
  type Outcome[M] = (Vector[WindowEvent[M]], Partition[M])

  /** @param partition
    *   before the message; just created for the first one
    * @param mark
    *   the message's value of the column that a trigger by delta looks at
    */
  def insert[M](partition: Partition[M], message: HeldMessage[M], mark: Double): Outcome[M]

  /** The processing time of the step has come. */
  def tick[M](partition: Partition[M], now: Long): Outcome[M]

  /** The processing time at which `tick` has something to do, if nothing happens before. */
  def deadline(partition: Partition[_]): Option[Long]

  /** Whether a marker empties the window. */
  def isPunctuated: Boolean = false

  protected def event[M](kind: EventKind, messages: Vector[M]): WindowEvent[M] = WindowEvent(kind, messages)

  protected def inserted[M](partition: Partition[M], message: HeldMessage[M]): Outcome[M] = (
    Vector(event(EventKind.Insertion, Vector(message.message))),
    partition.copy(held = partition.held :+ message, inserted = partition.inserted + 1, touched = message.at))

  /** One after another. */
  protected def both[M](before: Outcome[M], next: Partition[M] => Outcome[M]): Outcome[M] = {
    val (events, partition) = next(before._2)
    (before._1 ++ events, partition)
  }
}

object PolicyRules {
  def apply(eviction: Eviction): PolicyRules = eviction match {
    case Eviction.Tumbling(by)         => new TumblingRules(Some(by))
    case Eviction.ByPunctuation(_)     => new TumblingRules(None)
    case Eviction.Sliding(by, trigger) => new SlidingRules(by, trigger)
  }
}

/** @param by
  *   None: markers alone empty the window
  */
private[policy] final class TumblingRules(by: Option[By]) extends PolicyRules {
  override def isPunctuated: Boolean = by.isEmpty

  def insert[M](partition: Partition[M], message: HeldMessage[M], mark: Double): Outcome[M] = by match {
    case Some(ByCount(n)) =>
      both[M](inserted(partition, message), now => if (now.held.size < n) (Vector.empty, now) else evicted(now))
    case Some(ByDelta(_, delta)) if partition.held.headOption.exists(oldest => message.value > oldest.value + delta) =>
      both[M](evicted(partition), inserted(_, message))
    case _ => inserted(partition, message)
  }

  /** Overdue periods tumble once; the next one counts from now (SEMANTICS R63). An empty window tumbles too. */
  def tick[M](partition: Partition[M], now: Long): Outcome[M] =
    if (!deadline(partition).exists(_ <= now)) (Vector.empty, partition)
    else both[M](evicted(partition), after => (Vector.empty, after.copy(tumbled = now)))

  def deadline(partition: Partition[_]): Option[Long] =
    by.collect { case ByTime(period) => partition.tumbled + period.micros }

  def evicted[M](partition: Partition[M]): Outcome[M] =
    (Vector(event(EventKind.Eviction, partition.messages)), partition.emptied)
}

private[policy] final class SlidingRules(by: By, trigger: By) extends PolicyRules {

  def insert[M](partition: Partition[M], message: HeldMessage[M], mark: Double): Outcome[M] = {
    val steps = Seq[Partition[M] => Outcome[M]](
      fullFromTheStart,
      expire(_, message.at),
      triggerByDelta(_, mark),
      makeRoom(_, message),
      inserted(_, message),
      fullByCount,
      triggerByCount)
    steps.foldLeft[Outcome[M]]((Vector.empty, partition))(both(_, _))
  }

  private def nothing[M](partition: Partition[M]): Outcome[M] = (Vector.empty, partition)

  private def raised[M](kind: EventKind, partition: Partition[M]): Outcome[M] =
    (Vector(event(kind, partition.messages)), partition)

  private def full[M](partition: Partition[M]): Outcome[M] =
    raised(EventKind.InitialFull, partition.copy(isFull = true))

  /** A window of a time is full before its first message (SEMANTICS R64). */
  private def fullFromTheStart[M](partition: Partition[M]): Outcome[M] = by match {
    case ByTime(_) if !partition.isFull => full(partition)
    case _                              => nothing(partition)
  }

  /** What is older than the time, not just as old, leaves. */
  private def expire[M](partition: Partition[M], now: Long): Outcome[M] = by match {
    case ByTime(period) => evict[M](partition, held => now - held.at > period.micros)
    case _              => nothing(partition)
  }

  private def evict[M](partition: Partition[M], leaves: HeldMessage[M] => Boolean): Outcome[M] = {
    val (out, rest) = partition.held.partition(leaves)
    if (out.isEmpty) nothing(partition)
    else (Vector(event(EventKind.Eviction, out.map(_.message))), partition.copy(held = rest))
  }

  private def triggerByDelta[M](partition: Partition[M], value: Double): Outcome[M] = trigger match {
    case ByDelta(_, delta) if partition.inserted > 0 && value > partition.mark + delta =>
      raised(EventKind.Trigger, partition.copy(mark = value))
    case _ => nothing(partition)
  }

  private def makeRoom[M](partition: Partition[M], message: HeldMessage[M]): Outcome[M] = by match {
    case ByCount(n) if partition.held.size >= n =>
      (
        Vector(event(EventKind.Eviction, Vector(partition.held.head.message))),
        partition.copy(held = partition.held.tail))
    case ByDelta(_, delta) =>
      val first = if (!partition.isFull && message.value > partition.first + delta) full(partition)
      else nothing(partition)
      both[M](first, evict[M](_, _.value < message.value - delta))
    case _ => nothing(partition)
  }

  private def fullByCount[M](partition: Partition[M]): Outcome[M] = by match {
    case ByCount(n) if !partition.isFull && partition.held.size == n => full(partition)
    case _                                                           => nothing(partition)
  }

  private def triggerByCount[M](partition: Partition[M]): Outcome[M] = trigger match {
    case ByCount(n) if partition.inserted % n == 0 => raised(EventKind.Trigger, partition)
    case _ => nothing(partition)
  }

  def tick[M](partition: Partition[M], now: Long): Outcome[M] =
    both[M](
      expire(partition, now),
      after =>
        if (!nextTrigger(after).exists(_ <= now)) nothing(after)
        else raised(EventKind.Trigger, after.copy(checked = now)))

  /** At multiples of the period since the partition's creation; several that pass within a step are one. */
  private def nextTrigger(partition: Partition[_]): Option[Long] = trigger match {
    case ByTime(period) =>
      val passed = Math.floorDiv(partition.checked - partition.created, period.micros)
      Some(partition.created + (passed + 1) * period.micros)
    case _ => None
  }

  def deadline(partition: Partition[_]): Option[Long] = {
    val expiry = by match {
      case ByTime(period) => partition.held.map(_.at).minOption.map(_ + period.micros + 1) // clocks go back, too
      case _              => None
    }
    (expiry ++ nextTrigger(partition)).minOption
  }
}
