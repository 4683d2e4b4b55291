package windrow.core.shard

import windrow._
import windrow.core.aggregate.Aggregation
import windrow.core.offsets.Progress
import windrow.core.operator.{Effect, Entry, OpenWindow, Out, Part, RefusalTime}
import windrow.core.state._
import windrow.core.store.{Admission, ShardFrame}
import windrow.core.time.{Position, StepClock, Watermark}
import windrow.core.trigger.{PendingFiring, PendingPolicy}
import windrow.core.window.LastEnd

/** Runs the windows of all keys of a shard, a part of an operator's keys. It never reads a clock: time moves only by
  * its steps (SEMANTICS T).
  *
  * @param store
  *   where the shard is stored between two objects that run it; written at the end of each step
  * @param fingerprint
  *   properties of the query that must not change while the state exists: the windows and aggregates
  * @throws windrow.SpecError
  *   if the spec exceeds the limit of a guard
  */
final class Shard[B, V](
    spec: WindowOperatorSpec,
    aggregation: Aggregation[B, V],
    store: ShardStore,
    fingerprint: SpecFingerprint = SpecFingerprint.Nothing,
    guards: Guards = Guards.Default)
    extends ShardFrame[Effect[B, V]](
      new Admission(store, fingerprint, spec.latenessInTime, spec.maxFuture, keepsClock = false),
      guards,
      spec.window.toString) {
  locally {
    val wrong = guards.problems(spec)
    if (wrong.nonEmpty) throw SpecError(spec.window.toString, wrong)
  }

  private val lastEnd   = LastEnd.first(spec.window)
  private val refusal   = new RefusalTime(spec.window, spec.latenessInTime, spec.retention)
  private val pieces    = new Pieces(store)
  private val bound     = aggregation.in(pieces, guards)
  private val algorithm = WindowAlgorithms(spec, bound, store)

  open()

  protected def parts: Seq[StatePart]  = algorithm +: Option.when(bound.storage.isDefined)(pieces).toSeq
  def processingDeadline: Option[Long] = algorithm.processingDeadline

  /** The windows of all keys that still accept messages. */
  def openWindows: Iterator[OpenWindow[B]] = algorithm.openWindows(watermark)

  /** The value of one of the [[openWindows]]. Only the shard can read messages that it stores outside their buffer. */
  def value(of: OpenWindow[B]): V =
    bound.lowerUntil(of.buffer, Option.when(of.isComplete)(of.bounds).flatMap(spec.of(of.name).fixedEnd))

  /** The open windows that will fire without further messages, with their firings. */
  def pending: Iterator[(OpenWindow[B], PendingFiring)] = {
    val policy =
      new PendingPolicy(spec.window, spec.early, spec.onTime, spec.late, spec.latenessInTime) // all end alike
    openWindows.flatMap(one => policy.of(one.bounds, one.isComplete, one.paneState, firesEmpty = true).map(one -> _))
  }

  /** Number of windows above the configured number, kept because they still accept messages (SEMANTICS R10). Reads all
    * keys.
    */
  def overRetention: Long =
    spec.retention.windows.fold(0L)(most => OpenWindow.countByKey(openWindows).map(_ - most).filter(_ > 0).sum)

  /** Runs one step: messages, then the watermark, judged at a processing time in microseconds. The step runs while its
    * effects are consumed and writes its state after the last one, so the caller must consume all of them.
    *
    * @param watermark
    *   evaluated after the last entry
    * @param progress
    *   offsets that the step brings to the stream, the same for every shard. Other offsets count as seen when their
    *   message arrives.
    */
  def step(
      entries: Iterator[Entry[B]],
      watermark: => Watermark,
      processingTime: Option[Long],
      progress: Seq[Progress] = Nil): Iterator[Effect[B, V]] = {
    algorithm.begin(progress)
    admission.begin(processingTime)
    admission.recordProgress(progress)
    val clock    = StepClock(this.watermark, processingTime)
    lazy val now = clock.before.max(watermark)
    val added    = Part.each[Entry[B], Effect[B, V]](entries)((entry, out) => add(entry, clock, out))
    stepOf(added ++ Part.later(algorithm.advance(clock, now)) ++ Part.silent(end(now)))
  }

  private def add(entry: Entry[B], clock: StepClock, out: Out[Effect[B, V]]): Unit = {
    val reason = rejectionReason(entry)
    if (entry.origin.isEmpty || admission.markApplied(entry.origin, placeOf(entry, reason))) {
      entry.origin.foreach(algorithm.see)
      reason match {
        case None =>
          admission.lateness.see(timeOf(entry), entry.count, watermark, lastEnd)
          algorithm.add(entry, clock, counters, out)
        case Some(reason) => out.put(Effect.Reject(entry, reason, watermark))
      }
    }
  }

  private def rejectionReason(entry: Entry[B]): Option[Reason] =
    if (algorithm.hasPlace(entry)) admission.rejectionReason(entry.time, rowValue.reaches(entry.value)) else InvalidTime

  /** Marks the offset of a withheld message as applied; returns false if it already was. The next step writes it. */
  def withhold(entry: Entry[B]): Boolean = admission.markApplied(entry.origin, placeOf(entry, rejectionReason(entry)))

  private val InvalidTime = Some(Reason.InvalidTime)

  /** The place of an entry in time, which decides when it becomes too late (SEMANTICS R13). */
  private def placeOf(entry: Entry[B], reason: Option[Reason]): Option[Long] =
    Option.when(reason != InvalidTime)(timeOf(entry))

  private def timeOf(entry: Entry[B]): Long =
    if (takesPanes && entry.pane.isDefined) entry.pane.get.end
    else Position.plus(entry.time.get, rowValue.lasts(entry.value))

  private val takesPanes = spec.window.takesPanes
  private val rowValue   = spec.window.rowValue

  protected def count(effect: Effect[B, V]): Unit = effect match {
    case Effect.Fire(pane)           => countPane(pane.timing == Timing.OnTime && !pane.isRetraction)
    case rejection: Effect.Reject[B] => if (rejection.isCounted) counters.rejected += rejection.entry.count
  }

  protected def isPast(source: String, place: Long): Boolean = refusal.isReached(place, watermark)

  override protected def openCount(before: Option[Long]): Option[Long] = algorithm.openCount(before)

  private def end(now: Watermark): Unit = {
    admission.watermark = now
    checkKeys(algorithm.keyCount)
  }
}
