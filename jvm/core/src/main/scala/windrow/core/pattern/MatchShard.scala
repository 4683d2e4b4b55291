package windrow.core.pattern

import scala.collection.IndexedSeq
import scala.collection.immutable.ArraySeq
import windrow._
import windrow.core.offsets.{AppliedOffsets, Progress}
import windrow.core.operator.{Out, Part, RefusalTime, ShardFingerprint}
import windrow.core.state._
import windrow.core.store._
import windrow.core.time.{Axis, Distance, Due, Position, Watermark}
import windrow.core.window.LastEnd

/** Finds the matches of a pattern in the rows of each key (SEMANTICS R140 to R151, R158).
  *
  * At the end of a step, the matches of each key with new rows or a passed deadline are computed from its rows and the
  * watermark alone, and compared with the emitted ones. So the order of rows and their steps do not matter.
  *
  * @param store
  *   where the shard is stored between two objects that run it; written at the end of each step
  * @param conditions
  *   the conditions of the names of the pattern
  */
final class MatchShard(
    spec: MatchSpec,
    store: ShardStore,
    conditions: RowConditions,
    fingerprint: SpecFingerprint = SpecFingerprint.Nothing,
    guards: Guards = Guards.Default)
    extends ShardFrame[MatchEffect](
      new Admission(store, fingerprint, spec.windows.latenessInTime, spec.maxFuture, keepsClock = false),
      guards,
      spec.toString) {
  private val within   = spec.within.fold(Position.Greatest)(_.micros)
  private val lateness = spec.windows.latenessInTime
  private val lastEnd  = LastEnd.of(spec.windows.window)
  private val refusal  = new RefusalTime(spec.windows.window, lateness, spec.windows.retention)
  private val search =
    new PatternSearch(RowProgram(spec.tree, spec.names), conditions.earlier, conditions.reads)
  private val segments = new Segments("messages", store)

  /** The rows of all keys. They are removed when no match can need them. Stored in the checkpoint. */
  private[pattern] val keys =
    new KeyBuckets[KeyRows]("matches", store, new KeyRows.KeyCodec(segments, spec.names.size), _.due)

  private val settings = new DueSettings(spec.lateness.toString)

  /** The number of emitted matches and retractions since this object was created. */
  var emitted: Long = 0L

  open()

  protected def parts: Seq[StatePart]  = Seq(segments, keys, settings)
  def processingDeadline: Option[Long] = None

  /** The number of instructions of the pattern that have run since this object was created. */
  def work: Long = search.work

  /** The number of stored rows. */
  def storedRows: Long = keys.all.map(keys.get(_).rows.size).sum

  override def rests(watermark: Watermark, processingTime: Long): Boolean =
    !settings.changed && super.rests(watermark, processingTime)

  /** Runs one step: messages in any order, then the watermark, judged at a processing time in microseconds. The step
    * runs while its effects are consumed and writes its state after the last one, so the caller must consume all of
    * them.
    *
    * @param watermark
    *   evaluated after the last message
    * @param progress
    *   offsets that the step brings to the stream; evaluated after the last message
    */
  def step(
      messages: Iterator[Incoming],
      watermark: => Watermark,
      now: Option[Long],
      progress: => Seq[Progress] = Nil): Iterator[MatchEffect] = {
    admission.begin(now)
    stepOf(
      Part.each[Incoming, MatchEffect](messages)(add) ++
        Part.silent(admission.watermark = this.watermark.max(watermark)) ++
        Part.later(ends) ++
        Part.silent {
          admission.recordProgress(progress)
          settings.allVisited()
        })
  }

  private def add(message: Incoming, out: Out[MatchEffect]): Unit =
    if (admission.markApplied(message.origin, message.time)) admission.timeOf(message) match {
      case Left(reason) => out.put(MatchEffect.Reject(message, reason, watermark))
      case Right(time) =>
        admission.lateness.see(time, count = 1, watermark, lastEnd)
        if (watermark.reached(lastEnd(time), lateness)) out.put(MatchEffect.Reject(message, Reason.TooLate, watermark))
        else {
          counters.accepted += 1
          val state = keys.change(message.key) {
            checkKeys(keys.size + 1)
            new KeyRows(segments, spec.names.size)
          }
          state.arrived.add(StoredMessage(KeyRows.NoKey, time, message.origin, message.payload))
          state.due = Due.AtOnce
        }
    }

  // ---- the end of a step

  private def ends: Iterator[Part[MatchEffect]] =
    (if (settings.changed) keys.walkAll else keys.walk(watermark.at)).map[Part[MatchEffect]] { key => out =>
      val state = keys.get(key)
      if (state != null && (settings.changed || watermark.isDue(state.due))) endOf(key, state, out)
    }

  private def endOf(key: Key, state: KeyRows, out: Out[MatchEffect]): Unit = {
    val stored  = all(state.rows)
    val arrived = state.arrived.takeAll()
    val rows    = merged(stored, arrived)
    val before  = state.emitted.map(one => MatchShard.LocatedMatch(stored, one)).toVector
    val isPast  = state.isFirstPast && stored.nonEmpty
    val from    = if (isPast) 1 else 0
    val scan    = new MatchScan(rows, conditions, within, spec.after, search, from)
    val found   = scan.upTo(watermark.leaves(Distance.none))
    differ(key, before, found.matches.map(MatchShard.LocatedMatch(rows, _)), out)
    val closed = watermark.leaves(lateness)
    val last   = if (spec.retracts) scan.upTo(closed) else found
    val gone   = leave(state, rows, found, last, closed)
    keep(state.rows, stored, arrived, rows, gone)
    if (state.isEmpty) keys.remove(key) else keys.put(key, state)
  }

  private def all(run: MessageRun): ArraySeq[StoredMessage] =
    if (run.isEmpty) MatchShard.NoRows else ArraySeq.from(run.range(Axis.Time, None, None))

  private def merged(one: ArraySeq[StoredMessage], other: IndexedSeq[StoredMessage]): ArraySeq[StoredMessage] =
    if (other.isEmpty) one
    else {
      val rows   = new Array[StoredMessage](one.length + other.length)
      var (i, j) = (0, 0)
      while (i + j < rows.length) {
        val isOne = j == other.length || (i < one.length && StoredMessage.Order.lteq(one(i), other(j)))
        rows(i + j) = if (isOne) one(i) else other(j)
        if (isOne) i += 1 else j += 1
      }
      ArraySeq.unsafeWrapArray(rows)
    }

  /** Removes the first of all rows from the stored ones, and stores the rows that arrived.
    *
    * @param gone
    *   the number of rows to remove
    */
  private def keep(
      run: MessageRun,
      stored: ArraySeq[StoredMessage],
      arrived: IndexedSeq[StoredMessage],
      rows: ArraySeq[StoredMessage],
      gone: Int): Unit = {
    var old = 0
    (0 until gone).foreach(i => if (old < stored.length && (rows(i) eq stored(old))) old += 1)
    run.dropOldest(old)
    (gone - old until arrived.size).foreach(i => run.add(arrived(i)))
  }

  /** Retracts the matches that no longer hold, and emits the new ones. At most one match begins at a row. */
  private def differ(
      key: Key,
      before: Vector[MatchShard.LocatedMatch],
      now: Vector[MatchShard.LocatedMatch],
      out: Out[MatchEffect]): Unit = {
    def missing(
        some: Vector[MatchShard.LocatedMatch],
        from: Vector[MatchShard.LocatedMatch]): Vector[MatchShard.LocatedMatch] =
      if (from.isEmpty) some
      else {
        val byStart = new java.util.IdentityHashMap[StoredMessage, MatchShard.LocatedMatch]
        from.foreach(one => byStart.put(one.row(0), one))
        some.filterNot(one => one.isSame(byStart.get(one.row(0))))
      }
    missing(before, now).foreach(one => out.put(one.effect(key, isRetraction = true)))
    missing(now, before).foreach(one => out.put(one.effect(key, isRetraction = false)))
  }

  /** Finds the next deadline, and returns the number of rows that no later match needs.
    *
    * @param found
    *   what the watermark decides
    * @param last
    *   what the watermark minus the lateness decides, which never changes
    * @param closed
    *   the watermark minus the lateness
    */
  private def leave(
      state: KeyRows,
      rows: ArraySeq[StoredMessage],
      found: MatchScan.ScanResult,
      last: MatchScan.ScanResult,
      closed: Long): Int = {
    val open   = last.open
    val isPast = conditions.readsPrevious && open > 0 && isPrevious(rows, open, closed)
    val gone   = if (isPast) open - 1 else open
    state.isFirstPast = isPast
    state.emitted = found.matches.filter(_.start >= open).map(one => one.copy(start = one.start - gone))
    state.due = math.min(
      deadline(rows, found, 0L),
      if (spec.retracts) deadline(rows, last, lateness.value) else Due.Never)
    if (isPast) state.due = math.min(state.due, passed(Position.plus(rows(gone).time, within), lateness.value))
    gone
  }

  /** Whether the row before another one may be the previous row of it or of a row that is still accepted. */
  private def isPrevious(rows: ArraySeq[StoredMessage], row: Int, closed: Long): Boolean = {
    val reach = Position.plus(rows(row - 1).time, within)
    (closed != Position.Greatest && reach >= closed) || (row < rows.length && rows(row).time <= reach)
  }

  /** The least watermark at which more is decided without more rows. */
  private def deadline(rows: ArraySeq[StoredMessage], found: MatchScan.ScanResult, behind: Long): Long = {
    val next = if (found.known < rows.length) passed(rows(found.known).time, behind) else Due.Never
    if (found.open < found.known) math.min(next, passed(Position.plus(rows(found.open).time, within), behind)) else next
  }

  /** The watermark from which on all rows at or before a time are known. */
  private def passed(time: Long, behind: Long): Long = Position.plus(Position.plus(time, behind), 1)

  protected def count(effect: MatchEffect): Unit = effect match {
    case _: MatchEffect.Found  => emitted += 1
    case _: MatchEffect.Reject => counters.rejected += 1
  }

  protected def isPast(source: String, place: Long): Boolean = refusal.isReached(place, watermark)
}

object MatchShard {
  private val NoRows = ArraySeq.empty[StoredMessage]

  /** Names of all spaces that it uses, for stores that must know them in advance. */
  val Spaces: Seq[String] = Seq("messages", "matches", AppliedOffsets.Space)

  /** The properties of a spec that must not change while the state exists, because they decide which matches were
    * emitted and how they are retracted.
    */
  def fingerprint(spec: MatchSpec): Seq[FingerprintField] = Seq(
    FingerprintField(
      "pattern",
      s"pattern='${spec.pattern}', within=${spec.within.fold("none")(span => s"'$span'")}, " +
        s"after='${spec.after}'"),
    ShardFingerprint.lateness(spec.lateness))

  /** A match among rows. */
  private final case class LocatedMatch(rows: ArraySeq[StoredMessage], found: EmittedMatch) {
    def row(i: Int): StoredMessage = rows(found.start + i)

    def isSame(other: LocatedMatch): Boolean =
      other != null && java.util.Arrays.equals(found.names, other.found.names) &&
        found.names.indices.forall(i => row(i) eq other.row(i))

    def effect(key: Key, isRetraction: Boolean): MatchEffect =
      MatchEffect.Found(
        key,
        rows.slice(found.start, found.start + found.names.length),
        found.names,
        isRetraction)
  }
}
