package windrow.core.join

import scala.collection.mutable.ArrayBuffer
import windrow._
import windrow.core.operator.Counters
import windrow.core.operator.FiringPolicy
import windrow.core.operator.Watermark
import windrow.core.state._
import windrow.core.store._

/** What comes out of a join. */
sealed trait JoinEffect

object JoinEffect {
  final case class Row(row: JoinRow) extends JoinEffect

  /** @param stream
    *   its place in the spec
    * @param watermark
    *   the one that the message was judged by
    */
  final case class Refuse(stream: Int, message: Incoming, reason: Reason, watermark: Watermark) extends JoinEffect
}

/** The messages of two or more streams, and the pairs among them (the source's stream-stream join operator).
  *
  * Without equality fields the messages of all keys pair, so they must all be in one shard.
  *
  * @param store
  *   where the shard lives between two of its objects; written at the end of each step
  * @param isNull
  *   some equality field of a key is null: it matches nothing (SEMANTICS R35)
  */
final class JoinShard(spec: JoinSpec, store: ShardStore, isNull: Key => Boolean, fixed: Seq[String] = Nil) {
  private val rule     = PairRule(spec)
  private val streams  = spec.streams.size
  private val outcome  = new JoinOutcome(spec.how)
  private val partners = new Partners(spec, rule)
  private val period   = Some(spec.early).collect { case EveryPeriod(span) => span }
  private val layout =
    MessageKey(Axis.Time, StoreUse.Join(spec.hasKeys, spec.within.isInstanceOf[Within.Ranges]), spec.expect)
  private val order    = MessageKey.order(layout)
  private val intake   = new Intake(fixed, spec.maxFuture)
  private val segments = new Segments("messages", store)
  private val keys =
    new KeyBuckets[(Option[Key], KeySides)]("sides", store, new KeySidesCodec(sides), kept => deadline(kept._2))
  private val periods = new Periods(store)

  intake.open(store) { in =>
    segments.readDirectory(in)
    keys.readDirectory(in)
    periods.readDirectory(in)
  }

  def counters: Counters = intake.counters

  private def sides(fixed: Option[Key]): KeySides = new KeySides(fixed, order, streams, segments)

  /** The watermark of the last step. */
  def watermark: Watermark = intake.watermark

  private def processingTime: Option[Long] = intake.processingTime

  /** One step: messages with the place of their stream in the spec, then the watermark, judged at a processing time in
    * microseconds. The order of the messages does not show in the rows.
    */
  def step(messages: Iterator[(Int, Incoming)], watermark: => Watermark, now: Option[Long]): Seq[JoinEffect] = {
    val isFirstP = intake.begin(now)
    val out      = new ArrayBuffer[JoinEffect]
    messages.foreach { case (stream, message) => apply(stream, message, out) }
    intake.watermark = this.watermark.max(watermark)
    stepEnd(isFirstP, out)
    flush()
    counters.rejected += out.count(_.isInstanceOf[JoinEffect.Refuse])
    out.toSeq
  }

  private var retiredCount = 0L

  /** Messages that have left since this object was made (SEMANTICS R74). */
  def retired: Long = retiredCount

  /** Messages of a stream and key above the stated count, kept because they may still pair (SEMANTICS R10). */
  def overRetention: Long = spec.retention.messages.fold(0L)(newest =>
    keys.due(Long.MaxValue).flatMap(keys.get(_)._2.runs).map(_.size - newest).filter(_ > 0).sum)

  // ---- messages

  private def apply(stream: Int, message: Incoming, out: ArrayBuffer[JoinEffect]): Unit = {
    def refuse(reason: Reason) = out += JoinEffect.Refuse(stream, message, reason, watermark)
    if (!isReplay(stream, message)) intake.timeOf(message) match {
      case Left(reason)                                                         => refuse(reason)
      case Right(time) if rule.inGap(time, stream)                              => counters.gaps += 1
      case Right(time) if RetentionBound.isOut(spec.retention, watermark, time) => refuse(Reason.OutOfRetention)
      case Right(time) if watermark.reached(rule.tooLateFrom(time, stream))     => refuse(Reason.TooLate)
      case Right(time) =>
        counters.accepted += 1
        accept(stream, message.stored(time), out)
    }
  }

  /** The name of a stream is the source of its messages (SEMANTICS R42). */
  private def isReplay(stream: Int, message: Incoming): Boolean =
    intake.isReplay(message.origin.map(_.copy(source = spec.names(stream))))

  /** Marks a message that goes no further as applied; false: it was before. The next step writes it. */
  def withhold(stream: Int, message: Incoming): Boolean = !isReplay(stream, message)

  private def accept(stream: Int, message: StoredMessage, out: ArrayBuffer[JoinEffect]): Unit =
    if (spec.hasKeys && isNull(message.key)) {
      if (outcome.tellsUnmatched(stream)) out += JoinEffect.Row(outcome.unmatched(stream, message))
    } else {
      val run   = if (MessageKey.isRunPerKey(layout)) message.key else JoinShard.Everyone
      val found = Option(keys.get(run)).map(_._2)
      val state = found.getOrElse(sides(Option.when(MessageKey.isRunPerKey(layout))(run)))
      val rows  = matched(state, stream, message)
      emit(run, state, rows, out)
      keys.put(run, (Option.when(MessageKey.isRunPerKey(layout))(run), state))
    }

  /** Keeps the message, settles what it matches, and gives the rows of these. */
  private def matched(state: KeySides, stream: Int, message: StoredMessage): Seq[JoinRow] = {
    val groups = rule.bringsTogether(state, stream, message)
      .getOrElse(partners.of(state.runs, stream, message).toVector)
    val rows = outcome.rows(groups)
    groups.flatMap(_.zipWithIndex).distinct.foreach { case (one, of) =>
      if ((one ne message) && !one.isSettled && outcome.settles(of))
        state.runs(of).replace(one, one.copy(isSettled = true))
    }
    val isAlone    = groups.isEmpty && outcome.tellsUnmatched(stream) && isHopeless(message, stream, state)
    val hasPartner = groups.exists(_(stream) eq message)
    state.runs(stream).add(message.copy(isSettled = isAlone || (hasPartner && outcome.settles(stream))))
    state.settledBelow(stream) = math.min(state.settledBelow(stream), message.time)
    rows ++ Option.when(isAlone)(outcome.unmatched(stream, message))
  }

  private def isHopeless(message: StoredMessage, stream: Int, state: KeySides): Boolean =
    rule.in(state).decidedFrom(message.time, stream) == Long.MinValue

  private def emit(run: Key, state: KeySides, rows: Seq[JoinRow], out: ArrayBuffer[JoinEffect]): Unit =
    if (period.isEmpty) out ++= rows.map(JoinEffect.Row(_))
    else rows.groupBy(keyOf).foreach { case (key, some) =>
      val held = state.waiting.getOrElse(key, Waiting(processingTime, Vector.empty))
      state.waiting += key -> held.copy(rows = held.rows ++ some)
      await(run, held.since)
    }

  private def keyOf(row: JoinRow): Key =
    if (spec.hasKeys) row.messages.flatten.head.key else JoinShard.Everyone

  private def await(run: Key, since: Option[Long]): Unit =
    for (from <- since; span <- period) periods.await(run, FiringPolicy.due(from, span))

  // ---- the end of a step

  private def stepEnd(isFirstP: Boolean, out: ArrayBuffer[JoinEffect]): Unit = {
    val due =
      if (isFirstP) keys.due(Long.MaxValue)
      else keys.due(if (watermark.isDefined) watermark.micros else Long.MinValue) ++ periods.due(processingTime)
    due.toVector.distinct.foreach { run =>
      val kept = keys.get(run)
      if (kept != null) {
        val state = kept._2
        val now   = rule.in(state)
        val rows  = (0 until streams).flatMap(stream => unmatched(state, stream, now) ++ retired(state, stream, now))
        state.sessions = state.sessions.filterNot(session => watermark.reached(session.end, spec.lateness.micros))
        emit(run, state, rows, out)
        release(run, state, out)
        if (state.isEmpty) keys.remove(run) else keys.put(run, kept)
      }
    }
    periods.forget(processingTime)
  }

  private def release(run: Key, state: KeySides, out: ArrayBuffer[JoinEffect]): Unit =
    state.waiting = state.waiting.flatMap { case (key, held) =>
      val since = held.since.orElse(processingTime)
      val isDue = watermark == Watermark.End || (for (from <- since; now <- processingTime; span <- period)
        yield now >= FiringPolicy.due(from, span)).contains(true)
      if (isDue) out ++= held.rows.map(JoinEffect.Row(_))
      else if (held.since.isEmpty) await(run, since)
      Option.when(!isDue)(key -> held.copy(since = since))
    }

  /** Messages that nothing can match any more (SEMANTICS R37). */
  private def unmatched(state: KeySides, stream: Int, rule: PairRule): Seq[JoinRow] =
    if (!outcome.tellsUnmatched(stream)) Nil
    else {
      val run = state.runs(stream)
      val decided = run.range(Axis.Time, Some(state.settledBelow(stream)), None)
        .takeWhile(message => watermark.reached(rule.decidedFrom(message.time, stream))).toVector
      decided.lastOption.foreach(last => state.settledBelow(stream) = last.time)
      decided.filterNot(_.isSettled).map { message =>
        run.replace(message, message.copy(isSettled = true))
        outcome.unmatched(stream, message)
      }
    }

  private def retired(state: KeySides, stream: Int, rule: PairRule): Seq[JoinRow] = {
    val rows = new ArrayBuffer[JoinRow]
    val tell = Option.when[StoredMessage => Unit](outcome.tellsUnmatched(stream))(message =>
      if (!message.isSettled) rows += outcome.unmatched(stream, message))
    retiredCount += state.runs(stream).retire(leaves(stream, rule), tell)
    rows.toSeq
  }

  private def leaves(stream: Int, rule: PairRule): (Long, Long) => Boolean =
    if (!isKeptByRetention) (time, _) => watermark.reached(rule.neededUntil(time, stream))
    else {
      val bound = RetentionBound(spec.retention, watermark, Long.MaxValue)
      (time, left) => bound.leaves(time, left) && isUnprotected(time, stream, rule)
    }

  private def isKeptByRetention: Boolean = spec.retention.time.isDefined || spec.retention.messages.isDefined

  private def isUnprotected(time: Long, stream: Int, rule: PairRule): Boolean = {
    val until = rule.protectedUntil(time, stream)
    until == Long.MinValue || watermark.reached(until)
  }

  /** When to look at a key again. */
  private def deadline(state: KeySides): Long = {
    val now = rule.in(state)
    val ofStreams = (0 until streams).flatMap { stream =>
      val run = state.runs(stream)
      val unsettled =
        if (outcome.tellsUnmatched(stream))
          run.range(Axis.Time, Some(state.settledBelow(stream)), None).find(!_.isSettled)
        else None
      unsettled.map(message => now.decidedFrom(message.time, stream)) ++
        run.oldest.map(message => leavesFrom(message.time, stream, run.size, now))
    }
    val closes = state.sessions.headOption.map(session => Span.plus(session.end, spec.lateness.micros))
    (ofStreams ++ closes).minOption.getOrElse(Long.MaxValue)
  }

  private def leavesFrom(time: Long, stream: Int, size: Long, rule: PairRule): Long =
    if (!isKeptByRetention) rule.neededUntil(time, stream)
    else {
      val byTime  = spec.retention.time.fold(Long.MaxValue)(span => Span.plus(Span.plus(time, span.micros), 1))
      val byCount = if (spec.retention.messages.exists(size > _)) rule.protectedUntil(time, stream) else Long.MaxValue
      math.min(byTime, byCount)
    }

  private def flush(): Unit = {
    keys.flush()
    periods.flush()
    intake.write(store) { out =>
      segments.writeDirectory(out)
      keys.writeDirectory(out)
      periods.writeDirectory(out)
    }
  }

  // ---- queries

  /** Where a replay must begin to rebuild the stores: for each stream and partition an offset (SEMANTICS R27). */
  def replayOffsets: Map[(String, Long), Long] =
    intake.replayOffsets(keys.due(Long.MaxValue).map(keys.get(_)._2).flatMap { state =>
      spec.names.iterator.zip(state.runs).flatMap { case (name, run) =>
        run.range(Axis.Time, None, None).flatMap(_.origin).map(_.copy(source = name))
      } ++ state.waiting.values.iterator.flatMap(_.rows).flatMap(row =>
        spec.names.zip(row.messages).flatMap { case (name, side) =>
          side.flatMap(_.origin).map(_.copy(source = name))
        })
    })

  /** For each stream and partition the offset after the greatest that was applied. */
  def nextOffsets: Map[(String, Long), Long] = intake.nextOffsets

  /** The rows that come if no more messages do. */
  def pending: Iterator[PendingRow] =
    keys.due(Long.MaxValue).map(keys.get(_)._2).flatMap(state => held(state) ++ alone(state))

  private def held(state: KeySides): Iterator[PendingRow] = for {
    held  <- state.waiting.valuesIterator
    since <- held.since.iterator
    span  <- period.iterator
    row   <- held.rows.iterator
  } yield PendingRow(row, None, Some(FiringPolicy.due(since, span)))

  private def alone(state: KeySides): Iterator[PendingRow] = {
    val now = rule.in(state)
    for {
      stream <- (0 until streams).iterator.filter(outcome.tellsUnmatched)
      run = state.runs(stream)
      (message, at) <- run.range(Axis.Time, None, None).zipWithIndex if !message.isSettled
      comes = math.min(now.decidedFrom(message.time, stream), gone(message.time, stream, run.size - at, now))
      if comes != Long.MaxValue
    } yield PendingRow(outcome.unmatched(stream, message), Some(comes), None)
  }

  /** The watermark at which a message leaves if no more come.
    *
    * @param left
    *   messages from this one on
    */
  private def gone(time: Long, stream: Int, left: Long, rule: PairRule): Long =
    if (!isKeptByRetention) rule.neededUntil(time, stream)
    else {
      val byTime = spec.retention.time.fold(Long.MaxValue)(span => Span.plus(Span.plus(time, span.micros), 1))
      val bound  = if (spec.retention.messages.exists(left > _)) Long.MinValue else byTime
      math.max(bound, rule.protectedUntil(time, stream))
    }

  /** The messages of a stream in a closed range, as [[windrow.core.fullstate.FullStateShard.getMessages]] gives them. */
  def getMessages(
      stream: Int,
      start: Option[Long],
      end: Option[Long],
      key: Option[Key] = None,
      axis: Axis = Axis.Time): Vector[StoredMessage] = {
    val runs = key match {
      case Some(one) if MessageKey.isRunPerKey(layout) => Option(keys.get(one)).iterator
      case _                                           => keys.due(Long.MaxValue).map(keys.get)
    }
    runs.flatMap(_._2.runs(stream).range(axis, start, end)).filter(message => key.forall(_ == message.key)).toVector
      .sorted(axis match {
        case Axis.Time   => StoredMessage.Order
        case Axis.Offset => StoredMessage.OffsetOrder
      })
  }
}

private object JoinShard {

  /** The run of messages of all keys. */
  val Everyone: Key = new Key(Array.empty)
}
