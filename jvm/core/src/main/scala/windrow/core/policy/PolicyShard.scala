package windrow.core.policy

import windrow.core.aggregate.Aggregation
import windrow.core.offsets.{AppliedOffsets, Progress}
import windrow.core.operator.{Origin, Part}
import windrow.core.state._
import windrow.core.store.{Admission, DueSettings, ShardFrame}
import windrow.core.time.{Due, EventTime, Watermark}
import windrow.{Eviction, Guard, Guards, Pane, PolicyWindowSpec, SourcePartition, Timing}

/** A message on its way into a window with policies.
  *
  * @param value
  *   value of the column that eviction by delta uses; 0 without it
  * @param isMarker
  *   whether it is the last message of its window (punctuation)
  * @param buffer
  *   the message as an aggregation buffer
  * @param raw
  *   the message as events show it
  * @param mark
  *   value of the column that a trigger by delta uses; None if it is the same column
  */
final case class PolicyEntry[B](
    key: Key,
    value: Double,
    isMarker: Boolean,
    buffer: B,
    raw: Array[Byte],
    origin: Option[Origin],
    mark: Option[Double] = None)

/** An output of a shard of policy windows. */
sealed trait PolicyEffect[+V]

object PolicyEffect {

  /** An event of a window.
    *
    * @param window
    *   number of the window in its partition
    * @param sequence
    *   number of the event in its partition, from 0. If the key's previous partition was removed in the same step, the
    *   numbers continue.
    */
  final case class Happened(key: Key, event: WindowEvent[Array[Byte]], window: Long, sequence: Long)
      extends PolicyEffect[Nothing]

  /** A pane. Window `n` of a key has the bounds `n` and `n`. */
  final case class Fire[V](pane: Pane[Key, V]) extends PolicyEffect[V]
}

/** The policy windows of all keys of a shard (SEMANTICS P). Changes only in its steps and reads no clock.
  *
  * @param store
  *   where the shard is stored between two objects that run it; written at the end of each step
  * @param fingerprint
  *   properties of the query that must not change while the state exists
  * @param hasEvents
  *   whether anyone receives events in addition to panes; each event then carries its messages
  * @param sums
  *   whether a pane may combine sums of messages instead of the messages, because their order does not matter
  *   (SEMANTICS R1)
  * @param pageBytes
  *   size in bytes of the pages in which a window is read and written
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
    extends ShardFrame[PolicyEffect[V]](new Admission(store, fingerprint), guards, spec.eviction.toString) {
  private type Window  = Partition[B]
  private type Effects = Vector[PolicyEffect[V]]

  private val rules  = PolicyRules(spec.eviction)
  private val limits = new LimitRules(spec.limits)

  private val pages = new Segments("held", store)
  private val codec = new PartitionCodec(new HeldLayout(aggregation, sums), pages, pageBytes)

  /** The partition of each key, until a limit evicts it. Stored in the checkpoint. */
  private val windows = new KeyBuckets[Window]("partitions", store, codec, deadline)

  /** The age limit, by which the deadlines of partitions were computed. */
  private val settings = new DueSettings(spec.limits.idle.fold("no age")(age => s"age ${age.micros}"))

  /** Sequence number of the last message among those of all partitions; it never decreases. Stored in the checkpoint.
    */
  private var turn = 0L

  /** The order of all partitions, if limits apply to all of them together. */
  private lazy val ranking = Option.when(spec.limits.areShared) {
    val all = new Ranking(limits)
    allKeys.foreach(key => all.put(key, windows.get(key)))
    all
  }

  /** For partitions removed in this step, their numbers of events. Cleared when the next step starts. */
  private var left = Map.empty[Key, Long]

  open()

  protected def parts: Seq[StatePart] = Seq(TurnCounter, pages, windows, settings)

  private object TurnCounter extends StatePart {
    def readDirectory(in: ByteReader): Unit   = turn = in.long()
    def writeDirectory(out: ByteWriter): Unit = out.long(turn)
  }

  def processingDeadline: Option[Long] = Some(windows.firstDue).filter(_ != Due.Never)

  override def rests(watermark: Watermark, processingTime: Long): Boolean =
    !settings.changed && !watermark.isEnd && (admission.processingTime.isDefined || windows.size == 0) && windows.firstDue > processingTime

  /** The processing time of the last step that had one. */
  private def clock: Long = admission.processingTime.getOrElse(HeldMessage.NoTime)

  private def deadline(window: Window): Long =
    (rules.deadline(window) ++ limits.deadline(window)).minOption.getOrElse(Due.Never)

  /** Runs one step: messages, then a marker for every key, then processing time (microseconds), by which everything is
    * judged. The step runs while its effects are consumed and writes its state after the last one, so the caller must
    * consume all of them.
    *
    * @param now
    *   None keeps the processing time of the previous step
    * @param progress
    *   offsets that the step brings to the stream, the same for every shard
    */
  def step(
      entries: Iterator[PolicyEntry[B]],
      now: Option[Long],
      marker: Boolean = false,
      progress: Seq[Progress] = Nil): Iterator[PolicyEffect[V]] = {
    admission.recordProgress(progress)
    left = Map.empty
    if (admission.begin(now) || settings.changed) lookAtAll()
    steps(
      entries.map(entry => part(add(entry))) ++
        (if (marker) allKeys.map(key => part(punctuate(key))) else Iterator.empty) ++
        admission.processingTime.iterator.flatMap(windows.walk).map(key => part(tick(key))))
  }

  /** Updates all partitions at the first processing time, or if their recorded deadlines may be outdated. */
  private def lookAtAll(): Unit = {
    allKeys.foreach(key => windows.put(key, windows.get(key).begunAt(clock)))
    settings.allVisited()
  }

  private def steps(parts: Iterator[Part[PolicyEffect[V]]]): Iterator[PolicyEffect[V]] =
    stepOf(parts ++ Part.silent(if (settings.changed) lookAtAll()))

  private def part(effects: => Effects): Part[PolicyEffect[V]] = out => effects.foreach(out.put)

  protected def count(effect: PolicyEffect[V]): Unit = effect match {
    case PolicyEffect.Fire(_)     => countPane(isOnTime = false)
    case _: PolicyEffect.Happened => ()
  }

  /** Ends the input: raises FINAL for every partition, once. */
  def finish(): Iterator[PolicyEffect[V]] = if (admission.watermark.isEnd) Iterator.empty
  else {
    admission.watermark = Watermark.End
    steps(allKeys.map(key => part(raised(key, EventKind.Final))))
  }

  /** Raises an event with all messages of the window. */
  private def raised(key: Key, kind: EventKind): Effects = {
    val window = windows.get(key)
    val log    = new EventLog(key, window)
    log(kind, window, window.held.messages)
    keep(window, log)
  }

  /** Marks the offset of a withheld message as applied; returns false if it already was. */
  def withhold(origin: Option[Origin]): Boolean = markApplied(origin)

  /** Policy windows never reject a message as late, so its place in time is the greatest. */
  private def markApplied(origin: Option[Origin]): Boolean = admission.markApplied(origin, place = Some(EventTime.Max))

  def partitions: Iterator[Key] = allKeys

  /** Whether a limit of partitions requires an eviction. */
  def needsPartitionEviction: Boolean = {
    def isOld(key: Key) = limits.isTooOld(windows.get(key).touched, clock)
    ranking.exists(_.surplus.isDefined) || allKeys.exists(isOld)
  }

  /** Drops the window, contents and marks of a key. */
  def evictPartition(key: Key): Iterator[PolicyEffect[V]] =
    if (windows.get(key) == null) Iterator.empty else steps(Iterator.single(part(drop(key))))

  /** The listener states stored with a key's window, in the order of the listeners; empty if there are none
    * (SEMANTICS R61).
    */
  def state(key: Key): Seq[Array[Byte]] = Option(windows.get(key)).fold(Seq.empty[Array[Byte]])(_.state)

  /** Stores the states of listeners with existing partitions. */
  def keepState(states: Map[Key, Seq[Array[Byte]]]): Unit = {
    states.foreach { case (key, state) =>
      Option(windows.get(key)).foreach(window => windows.put(key, window.copy(state = state.toVector)))
    }
    if (settings.changed) lookAtAll()
    write()
  }

  /** The first offset to read again for each source partition to rebuild the contents of the windows. */
  def restartOffsets: Map[SourcePartition, Long] =
    admission.restartOffsets(allKeys.flatMap(windows.get(_).held.all.flatMap(_.message.origin)))

  private def allKeys: Iterator[Key] = windows.walkAll

  private def add(entry: PolicyEntry[B]): Effects =
    if (!markApplied(entry.origin)) Vector.empty
    else {
      counters.accepted += 1
      insert(entry)
    }

  private def insert(entry: PolicyEntry[B]): Effects = {
    val mark   = entry.mark.getOrElse(entry.value)
    val known  = Option(windows.get(entry.key)).getOrElse(created(entry, mark))
    val before = known.measuredFrom(entry.value, mark)
    val kept   = EventMessage(entry.raw, entry.buffer, entry.origin)
    val log    = new EventLog(entry.key, before)
    val after = rules.insert(
      before,
      HeldMessage(kept, before.counted(entry.value), clock, number = before.inserted),
      mark)(log)
    if (entry.isMarker && rules.isPunctuated) PolicyRules.emptied(after)(log)
    guards.check(Guard.MessagesPerWindow, after.held.size, s"a window of ${spec.eviction}")
    turn += 1
    val effects = keep(after.copy(turn = turn), log) ++
      ranking.iterator.flatMap(all => Iterator.continually(all.surplus).takeWhile(_.isDefined).flatten).flatMap(drop)
    checkKeys(windows.size)
    effects
  }

  /** A new partition. If the key's previous one was removed in this step, its events continue to be numbered, so that
    * their order is visible.
    */
  private def created(entry: PolicyEntry[B], mark: Double): Window =
    Partition.created(codec.nothing, entry.value, mark, clock).copy(events = left.getOrElse(entry.key, 0))

  private def punctuate(key: Key): Effects =
    Option(windows.get(key)).filter(_ => rules.isPunctuated).fold(Vector.empty: Effects) { window =>
      val log = new EventLog(key, window)
      PolicyRules.emptied(window)(log)
      keep(window, log)
    }

  /** Applies processing time. Everything that was due before a partition's eviction by age is raised first. */
  private def tick(key: Key): Effects = {
    val window  = windows.get(key)
    val leaves  = limits.deadline(window).filter(_ => limits.isTooOld(window.touched, clock))
    val log     = new EventLog(key, window)
    val effects = rules.tick(window, leaves.getOrElse(clock))(log).fold(Vector.empty: Effects)(keep(_, log))
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

  /** Stores a window after its events. */
  private def keep(window: Window, log: EventLog): Effects = {
    val after = window.copy(panes = log.panes, events = log.events)
    windows.put(log.key, after)
    ranking.foreach(_.put(log.key, after))
    log.effects.result()
  }

  /** Numbers the events and the panes of a window. */
  private final class EventLog(val key: Key, before: Window) extends EventReceiver[B] {
    val effects = Vector.newBuilder[PolicyEffect[V]]
    var panes   = before.panes
    var events  = before.events

    def apply(kind: EventKind, window: Window, messages: => Vector[EventMessage[B]]): Unit = {
      if (hasEvents)
        effects += PolicyEffect.Happened(key, WindowEvent(kind, messages.map(_.raw)), window = panes, sequence = events)
      if (firesPane(kind)) {
        effects += paneOf(key, panes, window.held)
        panes += 1
      }
      events += 1
    }
  }

  /** A tumbling window fires when its messages are evicted, a sliding one when it is triggered (SEMANTICS R58). */
  private def firesPane(kind: EventKind): Boolean = spec.eviction match {
    case _: Eviction.Sliding => kind == EventKind.Trigger
    case _                   => kind == EventKind.Eviction
  }

  private def paneOf(key: Key, number: Long, held: HeldMessages[B]): PolicyEffect[V] = {
    val value = held.sum
      .fold(aggregation.lowerAll(held.all.map(_.message.buffer)))(aggregation.lower)
    PolicyEffect.Fire(Pane(key, number, number, Timing.OnTime, 0, isLast = true, isRetraction = false, value))
  }

  /** No message is rejected as late. */
  protected def isPast(source: String, place: Long): Boolean = false

  override protected def openCount(before: Option[Long]): Option[Long] = Some(windows.size)
}

object PolicyShard {

  /** Names of all spaces that it uses, for stores that must know them in advance. */
  val Spaces: Seq[String] = Seq("partitions", "held", AppliedOffsets.Space)
}
