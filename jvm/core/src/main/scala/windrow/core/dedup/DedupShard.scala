package windrow.core.dedup

import windrow.core.offsets.{AppliedOffsets, Progress}
import windrow.core.operator.{Out, Part, RefusalTime, ShardFingerprint}
import windrow.core.state.{FingerprintField, KeyMap, ShardStore, SpecFingerprint, StatePart}
import windrow.core.store.{Admission, Incoming, ShardFrame}
import windrow.core.time.{Position, Watermark}
import windrow.core.window.LastEnd
import windrow.{DedupSpec, Guards, Reason}

/** Keeps the first row of each group of duplicates of a key, and emits it in the step in which it arrives (SEMANTICS D).
  *
  * @param store
  *   where the shard is stored between two objects that run it; written at the end of each step
  * @param fingerprint
  *   properties of the query that must not change while the state exists
  * @param order
  *   decides by payload which of several rows of a step with equal key and time is the first; None if their order in
  *   the step does
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
  private val kept: Kept =
    if (replaced.exists(_.untilWatermark)) new KeptUntil(spec.within.micros, store)
    else new KeptTimes(spec.within.micros, store)

  open()

  protected def parts: Seq[StatePart]  = Seq(kept)
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
    val judge  = order.fold[Judge](new AtOnce)(new WithinInstant(_))
    stepOf(
      Part.each[Incoming, DedupEffect](messages)((message, out) => add(message, judge, out)) ++
        Iterator.single[Part[DedupEffect]](judge.end(_)) ++
        Part.silent(end(progress, before.max(watermark))))
  }

  private def add(message: Incoming, judge: Judge, out: Out[DedupEffect]): Unit =
    if (admission.markApplied(message.origin, message.time)) admission.timeOf(message) match {
      case Left(Reason.InvalidTime) if replaced.isDefined => judge(message, replaced.get.timeless, out)
      case Left(reason)                                   => out.put(drop(message, reason))
      case Right(time) =>
        admission.lateness.see(time, count = 1, watermark, lastEnd)
        if (watermark.reached(lastEnd(time), lateness)) out.put(drop(message, Reason.TooLate))
        else judge(message, time, out)
    }

  private def drop(message: Incoming, reason: Reason): DedupEffect = DedupEffect.Drop(message, reason, watermark)

  private def end(progress: Seq[Progress], now: Watermark): Unit = {
    admission.recordProgress(progress)
    admission.watermark = now
    kept.leave(now, lateness)
    checkKeys(kept.size)
  }

  protected def count(effect: DedupEffect): Unit = effect match {
    case _: DedupEffect.Keep                      => counters.accepted += 1
    case DedupEffect.Drop(_, Reason.Duplicate, _) => counters.duplicates += 1
    case _: DedupEffect.Drop                      => counters.rejected += 1
  }

  protected def isPast(source: String, place: Long): Boolean = refusal.isReached(place, watermark)

  /** Decides about the messages of a step that are in time. */
  private abstract class Judge {
    def apply(message: Incoming, time: Long, out: Out[DedupEffect]): Unit

    /** Called after the last message. */
    def end(out: Out[DedupEffect]): Unit
  }

  /** Keeps the first row in the order of the step. */
  private final class AtOnce extends Judge {
    def apply(message: Incoming, time: Long, out: Out[DedupEffect]): Unit =
      out.put(if (kept.keep(message.key, time, watermark)) DedupEffect.Keep(message)
      else drop(message, Reason.Duplicate))

    def end(out: Out[DedupEffect]): Unit = ()
  }

  /** Keeps the least of the rows with equal key and time. These rows are neighbors in time, so only those of one time
    * wait.
    */
  private final class WithinInstant(order: Ordering[Array[Byte]]) extends Judge {
    private var instant = Position.Least
    private val least   = new KeyMap[Incoming]

    def apply(message: Incoming, time: Long, out: Out[DedupEffect]): Unit = {
      if (time != instant) end(out)
      instant = time
      val rival = least.indexOf(message.key)
      if (rival >= 0) {
        val other = least.valueAt(rival)
        val wins  = order.lt(message.payload, other.payload)
        if (wins) least.set(rival, message)
        out.put(drop(if (wins) other else message, Reason.Duplicate))
      } else if (kept.keep(message.key, time, watermark)) least.add(message.key, message)
      else out.put(drop(message, Reason.Duplicate))
    }

    def end(out: Out[DedupEffect]): Unit = if (!least.isEmpty) {
      least.valuesInOrder.foreach(message => out.put(DedupEffect.Keep(message)))
      least.clear()
    }
  }
}

object DedupShard {

  /** Names of all spaces that it uses, for stores that must know them in advance. */
  val Spaces: Seq[String] = Seq(KeptTimes.Space, AppliedOffsets.Space)

  /** The properties of a spec that must not change while the state exists. `orderBy` only decides between rows of one
    * step, so it may change. If the watermark decides, each key is stored with its own end, so `within` may change.
    */
  def fingerprint(spec: DedupSpec, replaced: Option[ReplacedDedup] = None): Seq[FingerprintField] = {
    val how = replaced match {
      case Some(ReplacedDedup(_, true)) => "until the watermark"
      case Some(_)                      => "equal times"
      case None                         => s"within='${spec.within}'"
    }
    Seq(FingerprintField("deduplication", s"keep='first', $how"), ShardFingerprint.lateness(spec.lateness))
  }
}
