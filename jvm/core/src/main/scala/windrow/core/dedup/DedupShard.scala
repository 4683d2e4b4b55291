package windrow.core.dedup

import windrow.core.offsets.{AppliedOffsets, Progress}
import windrow.core.operator.{Out, Part, RefusalTime, ShardFingerprint}
import windrow.core.state.{FingerprintField, ShardStore, SpecFingerprint, StatePart}
import windrow.core.store.{Admission, Incoming, ShardFrame}
import windrow.core.time.Watermark
import windrow.core.window.LastEnd
import windrow.{AccumulatingAndRetracting, DedupSpec, Guards, Keep, Reason}

/** Keeps the first or the last row of each group of duplicates of a key (SEMANTICS D).
  *
  * @param store
  *   where the shard is stored between two objects that run it; written at the end of each step
  * @param fingerprint
  *   properties of the query that must not change while the state exists
  * @param order
  *   decides by payload which of several rows is the first or the last; None if event time and the order of the step do
  * @param replaced
  *   other rules, by which the order of the step alone decides
  */
final class DedupShard(
    spec: DedupSpec,
    store: ShardStore,
    fingerprint: SpecFingerprint = SpecFingerprint.Nothing,
    guards: Guards = Guards.Default,
    order: Option[Ordering[Array[Byte]]] = None,
    replaced: Option[ReplacedDedup] = None)
    extends ShardFrame[DedupEffect](
      new Admission(store, fingerprint, spec.windows.latenessInTime, spec.maxFuture, keepsClock = false),
      guards,
      spec.toString) {
  private val lateness = spec.windows.latenessInTime
  private val lastEnd  = LastEnd.of(spec.windows.window)
  private val refusal  = new RefusalTime(spec.windows.window, lateness, spec.windows.retention)

  private[dedup] val rule: KeepRule = spec.keep match {
    case Keep.First => order.fold(new FirstRows(kept, lateness))(new FirstWithinInstant(kept, lateness, _))
    case Keep.Last  => new LastRows(spec, store, order, counters)
  }

  private def kept: KeptRows =
    if (replaced.exists(_.untilWatermark)) new KeptKeys(spec.within.micros, store)
    else new KeptTimes(spec.within.micros, store)

  /** The number of emitted rows since this object was created. */
  var emitted: Long = 0L

  open()

  protected def parts: Seq[StatePart]  = rule.parts
  def processingDeadline: Option[Long] = None

  /** Runs one step: messages in the order of [[Incoming.order]], then the watermark, judged at a processing time in
    * microseconds. The step runs while its effects are consumed and writes its state after the last one, so the caller
    * must consume all of them.
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
      progress: => Seq[Progress] = Nil): Iterator[DedupEffect] = {
    admission.begin(now)
    val before = this.watermark
    stepOf(
      Part.each[Incoming, DedupEffect](messages)(add) ++
        Iterator.single[Part[DedupEffect]](rule.end(_)) ++
        Iterator.single[Part[DedupEffect]](end(progress, before.max(watermark), _)) ++
        Part.silent(checkKeys(rule.size)))
  }

  private def add(message: Incoming, out: Out[DedupEffect]): Unit =
    if (admission.markApplied(message.origin, message.time)) admission.timeOf(message) match {
      case Left(Reason.InvalidTime) if replaced.isDefined => rule.add(message, replaced.get.timeless, watermark, out)
      case Left(reason)                                   => out.put(drop(message, reason))
      case Right(time) =>
        admission.lateness.see(time, count = 1, watermark, lastEnd)
        if (watermark.reached(lastEnd(time), lateness)) out.put(drop(message, Reason.TooLate))
        else rule.add(message, time, watermark, out)
    }

  private def drop(message: Incoming, reason: Reason): DedupEffect = DedupEffect.Drop(message, reason, watermark)

  private def end(progress: Seq[Progress], now: Watermark, out: Out[DedupEffect]): Unit = {
    admission.recordProgress(progress)
    admission.watermark = now
    out.andThen(rule.leave(now))
  }

  protected def count(effect: DedupEffect): Unit = effect match {
    case _: DedupEffect.Keep =>
      emitted += 1
      if (spec.keep == Keep.First) counters.accepted += 1
    case _: DedupEffect.Retract                   => emitted += 1
    case DedupEffect.Drop(_, Reason.Duplicate, _) => counters.duplicates += 1
    case _: DedupEffect.Drop                      => counters.rejected += 1
    case _: DedupEffect.Replace                   => () // it was counted when it arrived
  }

  protected def isPast(source: String, place: Long): Boolean = refusal.isReached(place, watermark)
}

object DedupShard {

  /** Names of the spaces that every deduplication uses. */
  val Spaces: Seq[String] = Seq(KeptTimes.Space, AppliedOffsets.Space)

  /** Names of all spaces that it uses, for stores that must know them in advance. */
  def spaces(spec: DedupSpec): Seq[String] = Spaces ++ Option.when(spec.keep == Keep.Last)(StoredRows.Space)

  /** The properties of a spec that must not change while the state exists. The `orderBy` of first rows only decides
    * between rows of one step, so it may change; that of last rows decides which rows are stored. If the watermark
    * decides, each key is stored with its own end, so `within` may change.
    */
  def fingerprint(spec: DedupSpec, replaced: Option[ReplacedDedup] = None): Seq[FingerprintField] = {
    val how = replaced match {
      case Some(ReplacedDedup(_, true)) => "until the watermark"
      case Some(_)                      => "equal times"
      case None                         => s"within='${spec.within}'"
    }
    val last =
      if (spec.keep == Keep.First) Nil
      else Seq(s"orderBy=(${spec.orderBy.mkString(", ")})") ++
        Option.when(spec.retracts)(s"accumulationMode=$AccumulatingAndRetracting")
    Seq(
      FingerprintField("deduplication", (s"keep='${spec.keep}'" +: how +: last).mkString(", ")),
      ShardFingerprint.lateness(spec.lateness))
  }
}
