package windrow.core.policy

import windrow.Eviction
import windrow.Guard
import windrow.Guards
import windrow.Pane
import windrow.PolicyWindowSpec
import windrow.SourcePartition
import windrow.Timing
import windrow.core.aggregate.Aggregation
import windrow.core.operator.Counters
import windrow.core.operator.OperatorShard
import windrow.core.operator.Origin
import windrow.core.operator.Part
import windrow.core.operator.Step
import windrow.core.state._
import windrow.core.store.Admission
import windrow.core.store.Terms
import windrow.core.time.Due
import windrow.core.time.EventTime
import windrow.core.time.Watermark

/** A message on its way into a window of policies.
  *
  * @param value
  *   of the column that eviction by delta looks at; 0 without one
  * @param isMarker
  *   it is the last message of its window (punctuation)
  * @param buffer
  *   the message, lifted
  * @param raw
  *   the message as events show it
  * @param mark
  *   of the column that a trigger by delta looks at; None: the same
  */
final case class PolicyEntry[B](
    key: Key,
    value: Double,
    isMarker: Boolean,
    buffer: B,
    raw: Array[Byte],
    origin: Option[Origin],
    mark: Option[Double] = None)

/** What comes out of a shard of policy windows. */
sealed trait PolicyEffect[+V]

object PolicyEffect {

  /** @param window
    *   number of the window in its partition
    * @param sequence
    *   0, 1, … among the events of the partition; where the key's last one left in the same step it goes on from there
    */
  final case class Happened(key: Key, event: WindowEvent[Array[Byte]], window: Long, sequence: Long)
      extends PolicyEffect[Nothing]

  /** Window `n` of a key begins and ends at the number `n` of its pane. */
  final case class Fire[V](pane: Pane[Key, V]) extends PolicyEffect[V]
}

private[policy] final case class Kept[B](raw: Array[Byte], buffer: B, origin: Option[Origin])

/** The windows of all keys of a shard (SEMANTICS P). Moved by its steps alone; it reads no clock.
  *
  * @param store
  *   where it lives between two of its objects; written at the end of each step
  * @param fingerprint
  *   what may not change while the state lives, in words
  * @param hasEvents
  *   somebody hears of what happens beside panes: then each event carries its messages
  * @param sums
  *   sums of messages may be combined for a pane in the place of the messages, since their order does not show (SEMANTICS R1)
  * @param pageBytes
  *   so much of a window is read and written together
  */
final class PolicyShard[B, V](
    spec: PolicyWindowSpec,
    aggregation: Aggregation[B, V],
    store: ShardStore,
    fingerprint: SpecFingerprint = SpecFingerprint.Nothing,
    guards: Guards = Guards.Default,
    hasEvents: => Boolean = true,
    sums: Boolean = true,
    pageBytes: Int = 4096)
    extends OperatorShard {
  private type Window  = Partition[B]
  private type Effects = Vector[PolicyEffect[V]]

  private val rules     = PolicyRules(spec.eviction)
  private val limits    = new LimitRules(spec.limits)
  private val admission = new Admission(store, fingerprint)

  private val pages = new Segments("held", store)
  private val codec = new PartitionCodec(new PagedHeld(aggregation, sums), pages, pageBytes)

  /** The partition of each key, until a limit evicts it. In the checkpoint. */
  private val windows = new KeyBuckets[Window]("partitions", store, codec, deadline)

  /** By which partitions know when they leave. */
  private val terms = new Terms(spec.limits.idle.fold("no age")(age => s"age ${age.micros}"))

  /** Of the last message among those of all partitions; it only grows. In the checkpoint. */
  private var turn = 0L

  /** Where limits concern all partitions together. */
  private lazy val ranking = Option.when(spec.limits.areShared) {
    val all = new Ranking(limits)
    allKeys.foreach(key => all.put(key, windows.get(key)))
    all
  }

  /** Of partitions that left in this step: how many events they had. Emptied as the next begins. */
  private var left = Map.empty[Key, Long]

  admission.open { in =>
    turn = in.long()
    pages.readDirectory(in)
    windows.readDirectory(in)
    terms.read(in)
  }

  def counters: Counters                      = admission.counters
  def nextOffsets: Map[SourcePartition, Long] = admission.nextOffsets

  /** It knows none but the end of the input. */
  def watermark: Watermark = admission.watermark

  def processingDeadline: Option[Long] = Some(windows.firstDue).filter(_ != Due.Never)

  override def rests(watermark: Watermark, processingTime: Long): Boolean =
    !terms.changed && !watermark.isEnd && (admission.processingTime.isDefined || windows.size == 0) && windows.firstDue > processingTime

  /** The processing time of the last step that had one. */
  private def clock: Long = admission.processingTime.getOrElse(Partition.NoTime)

  private def deadline(window: Window): Long =
    (rules.deadline(window) ++ limits.deadline(window)).minOption.getOrElse(Due.Never)

  /** One step: messages, then a marker for every key, then processing time (microseconds), by which all of it is judged.
    *
    * The step goes on as its effects are taken, and the state is written behind the last one: take them all.
    *
    * @param now
    *   None: that of the step before
    * @param progress
    *   what the step brings to the whole stream, the same for every shard
    */
  def step(
      entries: Iterator[PolicyEntry[B]],
      now: Option[Long],
      marker: Boolean = false,
      progress: Seq[Progress] = Nil): Iterator[PolicyEffect[V]] = {
    admission.tell(progress)
    left = Map.empty
    if (admission.begin(now) || terms.changed) lookAtAll()
    steps(
      entries.map(entry => part(add(entry))) ++
        (if (marker) allKeys.map(key => part(punctuate(key))) else Iterator.empty) ++
        admission.processingTime.iterator.flatMap(windows.walk).map(key => part(tick(key))))
  }

  /** At the first processing time, and where what keys know of when to be looked at may not hold. */
  private def lookAtAll(): Unit = {
    allKeys.foreach(key => windows.put(key, windows.get(key).begunAt(clock)))
    terms.settle()
  }

  private def steps(parts: Iterator[Part[PolicyEffect[V]]]): Iterator[PolicyEffect[V]] = {
    panesBefore = counters.panes
    new Step(parts ++ Part.silent(write()), count)
  }

  private var panesBefore = 0L

  private def part(effects: => Effects): Part[PolicyEffect[V]] = out => effects.foreach(out.put)

  private def count(effect: PolicyEffect[V]): Unit = effect match {
    case PolicyEffect.Fire(_) =>
      counters.panes += 1
      guards.check(Guard.PendingOutput, counters.panes - panesBefore, s"a step of ${spec.eviction}")
    case _: PolicyEffect.Happened => ()
  }

  /** The input is over: FINAL for every partition, once. */
  def finish(): Iterator[PolicyEffect[V]] = if (admission.watermark.isEnd) Iterator.empty
  else {
    admission.watermark = Watermark.End
    steps(allKeys.map(key => part(raised(key, EventKind.Final))))
  }

  /** With all that is inside. */
  private def raised(key: Key, kind: EventKind): Effects = {
    val window = windows.get(key)
    val told   = new Telling(key, window)
    told(kind, window, window.held.messages)
    keep(window, told)
  }

  /** Marks a message that goes no further as applied; false: it was before. */
  def withhold(origin: Option[Origin]): Boolean = !isReplay(origin)

  /** No message of a window by policies is ever too late. */
  private def isReplay(origin: Option[Origin]): Boolean = admission.isReplay(origin, place = Some(EventTime.Max))

  def partitions: Iterator[Key] = allKeys

  /** Whether a limit of partitions asks for an eviction. */
  def needsPartitionEviction: Boolean = {
    def isOld(key: Key) = limits.isTooOld(windows.get(key).touched, clock)
    ranking.exists(_.surplus.isDefined) || allKeys.exists(isOld)
  }

  /** Drops a key's window, contents and marks. */
  def evictPartition(key: Key): Iterator[PolicyEffect[V]] =
    if (windows.get(key) == null) Iterator.empty else steps(Iterator.single(part(drop(key))))

  /** What listeners keep beside a key's window, in their order; empty if it has none (SEMANTICS R61). */
  def state(key: Key): Seq[Array[Byte]] = Option(windows.get(key)).fold(Seq.empty[Array[Byte]])(_.state)

  /** Keeps the state of listeners with those partitions that are there. */
  def keepState(states: Map[Key, Seq[Array[Byte]]]): Unit = {
    states.foreach { case (key, state) =>
      Option(windows.get(key)).foreach(window => windows.put(key, window.copy(state = state.toVector)))
    }
    write()
  }

  /** Where a replay must begin to rebuild what is inside the windows: for each source partition an offset. */
  def restartOffsets: Map[SourcePartition, Long] =
    admission.restartOffsets(allKeys.flatMap(windows.get(_).held.all.flatMap(_.message.origin)))

  private def allKeys: Iterator[Key] = windows.walkAll

  private def add(entry: PolicyEntry[B]): Effects =
    if (isReplay(entry.origin)) Vector.empty
    else {
      counters.accepted += 1
      insert(entry)
    }

  private def insert(entry: PolicyEntry[B]): Effects = {
    val mark   = entry.mark.getOrElse(entry.value)
    val known  = Option(windows.get(entry.key)).getOrElse(created(entry, mark))
    val before = known.measuredFrom(entry.value, mark)
    val kept   = Kept(entry.raw, entry.buffer, entry.origin)
    val told   = new Telling(entry.key, before)
    val after = rules.insert(
      before,
      HeldMessage(kept, before.counted(entry.value), clock, number = before.inserted),
      mark)(told)
    if (entry.isMarker && rules.isPunctuated) PolicyRules.emptied(after)(told)
    guards.check(Guard.MessagesPerWindow, after.held.size, s"a window of ${spec.eviction}")
    turn += 1
    val effects = keep(after.copy(turn = turn), told) ++
      ranking.iterator.flatMap(all => Iterator.continually(all.surplus).takeWhile(_.isDefined).flatten).flatMap(drop)
    guards.check(Guard.KeysPerShard, windows.size, s"the state of ${spec.eviction}")
    effects
  }

  /** A key whose partition left in this step goes on counting its events, so that their order shows. */
  private def created(entry: PolicyEntry[B], mark: Double): Window =
    Partition.created(codec.nothing, entry.value, mark, clock).copy(events = left.getOrElse(entry.key, 0))

  private def punctuate(key: Key): Effects =
    Option(windows.get(key)).filter(_ => rules.isPunctuated).fold(Vector.empty: Effects) { window =>
      val told = new Telling(key, window)
      PolicyRules.emptied(window)(told)
      keep(window, told)
    }

  /** Of one that leaves with its age, what came due before comes first. */
  private def tick(key: Key): Effects = {
    val window  = windows.get(key)
    val leaves  = limits.deadline(window).filter(_ => limits.isTooOld(window.touched, clock))
    val told    = new Telling(key, window)
    val effects = rules.tick(window, leaves.getOrElse(clock))(told).fold(Vector.empty: Effects)(keep(_, told))
    leaves.fold(effects)(_ => effects ++ drop(key))
  }

  private def drop(key: Key): Effects = {
    val effects = raised(key, EventKind.PartitionEviction)
    val window  = windows.get(key)
    ranking.foreach { all =>
      left += key -> window.events
      all.remove(key)
    }
    window.held.clear()
    windows.remove(key)
    effects
  }

  /** Keeps a window after what was told of it. */
  private def keep(window: Window, told: Telling): Effects = {
    val after = window.copy(panes = told.panes, events = told.events)
    windows.put(told.key, after)
    ranking.foreach(_.put(told.key, after))
    told.effects.result()
  }

  /** Numbers the events of a window and the panes among them. */
  private final class Telling(val key: Key, before: Window) extends Happening[B] {
    val effects = Vector.newBuilder[PolicyEffect[V]]
    var panes   = before.panes
    var events  = before.events

    def apply(kind: EventKind, window: Window, messages: => Vector[Kept[B]]): Unit = {
      if (hasEvents)
        effects += PolicyEffect.Happened(key, WindowEvent(kind, messages.map(_.raw)), window = panes, sequence = events)
      if (firesPane(kind)) {
        effects += paneOf(key, panes, window.held)
        panes += 1
      }
      events += 1
    }
  }

  /** A tumbling window is told as it leaves, a sliding one when it is triggered (SEMANTICS R58). */
  private def firesPane(kind: EventKind): Boolean = spec.eviction match {
    case _: Eviction.Sliding => kind == EventKind.Trigger
    case _                   => kind == EventKind.Eviction
  }

  private def paneOf(key: Key, number: Long, held: Held[B]): PolicyEffect[V] = {
    val value = held.sum
      .fold(aggregation.lowerAll(held.all.map(_.message.buffer)))(aggregation.lower)
    PolicyEffect.Fire(Pane(key, number, number, Timing.OnTime, 0, isLast = true, isRetraction = false, value))
  }

  private def write(): Unit = {
    if (terms.changed) lookAtAll()
    windows.flush()
    admission.tellOpen(_ => Some(windows.size))
    admission.write((_, _) => false) { out =>
      out.long(turn)
      pages.writeDirectory(out)
      windows.writeDirectory(out)
      terms.write(out)
    }
  }
}

object PolicyShard {

  /** The spaces of its store, for stores that must know them beforehand. */
  val Spaces: Seq[String] = Seq("partitions", "held", AppliedOffsets.Space)
}
