package windrow.core.join

import windrow._
import windrow.core.offsets.Progress
import windrow.core.operator.{Origin, Out, Part, RefusalTime}
import windrow.core.state._
import windrow.core.store._
import windrow.core.time.{Axis, Due, EventTime, Watermark}

/** The parts of a join that do not depend on which messages go together: it judges and identifies messages, stores the
  * streams of each key, and answers queries.
  *
  * @param store
  *   where the shard is stored between two objects that run it; written at the end of each step
  */
abstract class JoinFrame private[join] (
    spec: JoinSpec,
    store: ShardStore,
    private[join] val rule: PairRule,
    fingerprint: SpecFingerprint,
    guards: Guards)
    extends ShardFrame[JoinEffect](
      new Admission(store, fingerprint, spec.latenessInTime, spec.maxFuture),
      guards,
      "a join") {
  private val layout         = MessageLayout.of(spec)
  private[join] val segments = new Segments("messages", store)

  /** The messages of all streams, by key if the join has equality fields. They are removed when they are not needed.
    * Stored in the checkpoint.
    */
  private[join] val keys =
    new KeyBuckets[(Option[Key], KeySides)]("sides", store, new KeySidesCodec(sides), kept => deadline(kept._2))

  private val settings = new DueSettings(spec.retention.inWords)

  protected def parts: Seq[StatePart] = Seq(segments, keys) ++ added :+ settings

  /** Parts of the state that only some joins have. */
  protected def added: Seq[StatePart] = Nil

  /** The number of runs of messages of a key, of which the first are those of the streams. */
  protected def runsOfKey: Int

  /** Accepts a message that is in time. */
  protected def accept(stream: Int, message: StoredMessage, out: Out[JoinEffect]): Unit

  /** Runs after the last message of a step, before its watermark. */
  protected def arrived: Iterator[Part[JoinEffect]] = Iterator.empty

  /** Runs after the watermark of a step. */
  protected def stepEnd(isFirstP: Boolean): Iterator[Part[JoinEffect]]

  /** The watermark at which a key is next due. */
  private[join] def deadline(state: KeySides): Long

  /** The rows that wait to be emitted and whose messages may have been removed. */
  protected def waitingRows: Iterator[JoinRow] = Iterator.empty

  /** The rows that will be emitted if no more messages arrive. */
  def pending: Iterator[PendingRow]

  def processingDeadline: Option[Long] = None

  private def sides(fixed: Option[Key]): KeySides = new KeySides(fixed, layout.order, runsOfKey, segments)

  /** The sides of the key of a message, which may be new. */
  private[join] def sidesOf(message: StoredMessage): (Option[Key], KeySides) = {
    val run = if (layout.isPerKey) message.key else MessageLayout.Everyone
    keys.change(run) {
      val fixed = Option.when(layout.isPerKey)(run)
      checkKeys(keys.size + 1)
      (fixed, sides(fixed))
    }
  }

  /** The keys that may be due at the end of a step. */
  private[join] def dueKeys: Iterator[Key] = if (settings.changed) keys.all else keys.due(watermark.at)

  override def rests(watermark: Watermark, processingTime: Long): Boolean =
    !settings.changed && super.rests(watermark, processingTime)

  private[join] def processingTime: Option[Long] = admission.processingTime

  /** Runs one step: messages with the index of their stream in the spec, then the watermark, judged at a processing
    * time in microseconds. The rows do not depend on the order of the messages. The step runs while its effects are
    * consumed and writes its state after the last one, so the caller must consume all of them.
    *
    * @param watermark
    *   evaluated after the last message
    * @param progress
    *   offsets that the step brings to the stream, the same for every shard; evaluated after the last message
    */
  def step(
      messages: Iterator[(Int, Incoming)],
      watermark: => Watermark,
      now: Option[Long],
      progress: => Seq[Progress] = Nil): Iterator[JoinEffect] = {
    val isFirstP = admission.begin(now)
    val applied =
      Part.each[(Int, Incoming), JoinEffect](messages) { case ((stream, message), out) => apply(stream, message, out) }
    stepOf(
      applied ++
        arrived ++
        Part.silent(admission.watermark = this.watermark.max(watermark)) ++
        stepEnd(isFirstP) ++
        Part.silent(end(progress)))
  }

  private def end(progress: Seq[Progress]): Unit = {
    admission.recordProgress(progress)
    settings.allVisited()
  }

  protected def count(effect: JoinEffect): Unit = effect match {
    case JoinEffect.Row(_)    => ()
    case _: JoinEffect.Reject => counters.rejected += 1
  }

  private[join] var retiredCount = 0L

  /** Number of messages removed since this object was created (SEMANTICS R74). */
  def retired: Long = retiredCount

  /** Number of messages of a stream and key beyond the configured count, kept because they may still pair
    * (SEMANTICS R10).
    */
  def overRetention: Long = spec.retention.messages.fold(0L)(newest =>
    keys.all.flatMap(keys.get(_)._2.runs).map(_.size - newest).filter(_ > 0).sum)

  // ---- messages

  private def apply(stream: Int, message: Incoming, out: Out[JoinEffect]): Unit =
    if (markApplied(stream, message)) admission.timeOf(message) match {
      case Left(reason) => out.put(JoinEffect.Reject(stream, message, reason, watermark))
      case Right(time) =>
        admission.lateness.see(time, count = 1, watermark, atOnce.ends(stream))
        place(stream, message, time, out)
    }

  private def place(stream: Int, message: Incoming, time: Long, out: Out[JoinEffect]): Unit = {
    def refuse(reason: Reason): Unit = out.put(JoinEffect.Reject(stream, message, reason, watermark))
    if (rule.inGap(time, stream)) counters.gaps += 1
    else if (isTooLate(time, stream)) refuse(if (isOut(time)) Reason.OutOfRetention else Reason.TooLate)
    else if (isOut(time) && isNeverLate(time, stream)) refuse(Reason.OutOfRetention)
    else {
      counters.accepted += 1
      accept(stream, message.stored(time), out)
    }
  }

  private def isOut(time: Long): Boolean = RetentionBound.isOut(spec.retention, watermark, time)

  /** Whether only a configured time of retention rejects messages of this stream. */
  private def isNeverLate(time: Long, stream: Int): Boolean = rule.tooLateFrom(time, stream) == Due.Never

  /** Whether a message is late, or its partners may have been removed under an earlier, shorter lateness
    * (SEMANTICS S2).
    */
  private def isTooLate(time: Long, stream: Int): Boolean =
    watermark.reached(rule.tooLateFrom(time, stream)) ||
      (watermark.left != EventTime.Min && atOnce.ends(stream)(time) <= watermark.left)

  private val atOnce = new JoinLateness(spec)

  /** Whether a message is a duplicate. Its source belongs to its stream (SEMANTICS R42). */
  private def markApplied(stream: Int, message: Incoming): Boolean =
    admission.markApplied(message.origin.map(_.in(spec.names(stream))), message.time)

  /** Whether a message of a stream with this time is rejected from now on. */
  protected def isPast(source: String, time: Long): Boolean = {
    val stream = Origin.streamOf(source, spec.names)
    RefusalTime.isBefore(
      time,
      watermark,
      time => if (isNeverLate(time, stream)) spec.retention.isOutFrom(time) else rule.tooLateFrom(time, stream))
  }

  /** Marks the offset of a withheld message as applied; returns false if it already was. The next step writes it. */
  def withhold(stream: Int, message: Incoming): Boolean = markApplied(stream, message)

  // ---- queries

  /** The first offset to read again for each stream and partition to rebuild the store (SEMANTICS R27). */
  def restartOffsets: Map[SourcePartition, Long] =
    admission.restartOffsets(keys.all.map(keys.get(_)._2).flatMap { state =>
      spec.names.iterator.zip(state.runs).flatMap { case (name, run) =>
        run.range(Axis.Time, None, None).flatMap(_.origin).map(_.in(name))
      }
    } ++ waitingRows.flatMap { row =>
      spec.names.zip(row.messages).flatMap { case (name, side) =>
        side.flatMap(_.origin).map(_.in(name))
      }
    })

  /** The messages of a stream in a closed range, like [[windrow.core.fullstate.FullStateShard.getMessages]]. */
  def getMessages(
      stream: Int,
      start: Option[Long],
      end: Option[Long],
      key: Option[Key] = None,
      axis: Axis = Axis.Time): Vector[StoredMessage] = {
    val runs = key match {
      case Some(one) if layout.isPerKey => Option(keys.get(one)).iterator
      case _                            => keys.all.map(keys.get)
    }
    runs.flatMap(_._2.runs(stream).range(axis, start, end)).filter(message => key.forall(_ == message.key)).toVector
      .sorted(axis match {
        case Axis.Time   => StoredMessage.Order
        case Axis.Offset => StoredMessage.OffsetOrder
      })
  }
}
