package windrow.core.join

import windrow._
import windrow.core.operator.{Out, Part}
import windrow.core.state._
import windrow.core.store._
import windrow.core.time.{Axis, Due, Position}

/** Keeps the messages of two or more streams and emits the pairs among them (the stream-stream join operator).
  *
  * Without equality fields the messages of all keys can pair, so they must all be in one shard.
  *
  * @param store
  *   where the shard is stored between two objects that run it; written at the end of each step
  * @param isNull
  *   whether an equality field of a key is null, in which case it matches nothing (SEMANTICS R35)
  * @param waits
  *   how long messages of each stream wait for partners if not as the ranges require, in microseconds
  * @param condition
  *   an additional condition on the messages of a pair, in the order of their streams
  */
final class JoinShard(
    spec: JoinSpec,
    store: ShardStore,
    isNull: Key => Boolean,
    fingerprint: SpecFingerprint = SpecFingerprint.Nothing,
    guards: Guards = Guards.Default,
    waits: Option[IndexedSeq[Long]] = None,
    condition: Option[IndexedSeq[StoredMessage] => Boolean] = None)
    extends JoinFrame(spec, store, PairRules.of(spec, waits), fingerprint, guards) {
  private val streams   = spec.streams.size
  private val outcome   = new JoinOutcome(spec.how)
  private val retention = new JoinRetention(spec)
  private val partners  = new Partners(spec, rule)

  /** When keys have rows whose period ends; removed after the end. Stored in the checkpoint. */
  private val periods = new Periods(store)

  /** Rows that wait, if they are not emitted at once. A key is removed with its rows. Stored in the checkpoint. */
  private val waiting = Some(spec.early).collect { case period: EveryPeriod =>
    new WaitingRows(period, guards, periods, segments, store)
  }

  open()

  protected def runsOfKey: Int                          = streams
  override protected def added: Seq[StatePart]          = periods +: waiting.toSeq
  override def processingDeadline: Option[Long]         = periods.first
  override protected def waitingRows: Iterator[JoinRow] = waiting.iterator.flatMap(_.all).map(_._1)

  // ---- messages

  protected def accept(stream: Int, message: StoredMessage, out: Out[JoinEffect]): Unit =
    if (spec.hasKeys && isNull(message.key)) {
      if (outcome.emitsUnmatched(stream)) out.put(JoinEffect.Row(outcome.unmatched(stream, message)))
    } else {
      pair(sidesOf(message)._2, stream, message, out)
    }

  /** Emits the rows that a message completes, settles the messages that it matches, then stores it. The first `AtOnce`
    * partners are found at once.
    */
  private def pair(state: KeySides, stream: Int, message: StoredMessage, out: Out[JoinEffect]): Unit = {
    val (row, settle) = (outcome.row, settling(state, message))
    val groups        = groupsOf(state, stream, message)
    var hasPartner    = false
    def take(group: IndexedSeq[StoredMessage], out: Out[JoinEffect]): Unit = {
      hasPartner ||= group(stream) eq message
      settle(group)
      row(group).foreach(emit(_, out))
    }
    var taken = 0
    while (taken < JoinShard.AtOnce && groups.hasNext) {
      take(groups.next(), out)
      taken += 1
    }
    if (!groups.hasNext) keep(state, stream, message, hasPartner, out)
    else out.andThen(groups.map[Part[JoinEffect]](group => take(group, _)) ++
      Iterator.single[Part[JoinEffect]](keep(state, stream, message, hasPartner, _)))
  }

  private def groupsOf(state: KeySides, stream: Int, message: StoredMessage): Iterator[IndexedSeq[StoredMessage]] =
    rule.bringsTogether(state, stream, message).map(fulfilling).getOrElse {
      val groups = fulfilling(partners.of(state.runs, stream, message))
      if (outcome.needsOne(stream)) groups.take(1) else groups
    }

  private def fulfilling(groups: Iterator[IndexedSeq[StoredMessage]]): Iterator[IndexedSeq[StoredMessage]] =
    condition.fold(groups)(groups.filter)

  /** Returns a function that settles the partners of a message; consecutive groups may have the same partner. */
  private def settling(state: KeySides, message: StoredMessage): IndexedSeq[StoredMessage] => Unit =
    if (settled.isEmpty) JoinShard.SettlesNone else settlingOf(state, message)

  /** Streams whose messages are settled by a partner. */
  private val settled = (0 until streams).filter(outcome.settles)

  private def settlingOf(state: KeySides, message: StoredMessage): IndexedSeq[StoredMessage] => Unit = {
    val last = new Array[StoredMessage](streams)
    def settle(one: StoredMessage, of: Int): Unit = if ((one ne message) && !one.isSettled && (one ne last(of))) {
      state.runs(of).settle(one)
      last(of) = one
    }
    group => settled.foreach(of => settle(group(of), of))
  }

  private def keep(
      state: KeySides,
      stream: Int,
      message: StoredMessage,
      hasPartner: Boolean,
      out: Out[JoinEffect]): Unit = {
    val isAlone   = !hasPartner && outcome.emitsUnmatched(stream) && isDecided(message.time, stream, rule.in(state))
    val isSettled = isAlone || (hasPartner && outcome.settles(stream))
    state.runs(stream).add(if (isSettled) message.copy(isSettled = true) else message)
    if (!isAlone) state.settledBelow(stream) = math.min(state.settledBelow(stream), message.time)
    if (isAlone) emit(outcome.unmatched(stream, message), out)
  }

  /** Whether no future message could match a message of this time (SEMANTICS R37). */
  private def isDecided(time: Long, stream: Int, rule: PairRule): Boolean = {
    watermark.isDue(rule.decidedFrom(time, stream))
  }

  /** Emits a row at once, or stores it until its period ends. */
  private def emit(row: JoinRow, out: Out[JoinEffect]): Unit = waiting match {
    case None => out.put(JoinEffect.Row(row))
    case Some(waiting) =>
      val key = Option.when(spec.hasKeys)(row.messages.flatten.head.key)
      waiting.add(key.getOrElse(MessageLayout.Everyone), key, row, processingTime)
  }

  // ---- the end of a step

  protected def stepEnd(isFirstP: Boolean): Iterator[Part[JoinEffect]] =
    dueKeys
      .map[Part[JoinEffect]](run => out => Option(keys.get(run)).foreach(endOf(run, _, out))) ++
      waiting.iterator.flatMap(_.release(processingTime, isFirstP, watermark.isEnd))

  private def endOf(run: Key, kept: (Option[Key], KeySides), out: Out[JoinEffect]): Unit = {
    val state = kept._2
    val now   = rule.in(state)
    keys.put(run, kept)
    out.andThen(
      Iterator.range(0, streams).flatMap(stream => unmatched(state, stream, now) ++ removed(state, stream, now)) ++
        Part.silent {
          state.sessions = state.sessions.dropWhile(one => watermark.reached(one._2.end, spec.latenessInTime))
          if (state.isEmpty) keys.remove(run)
        })
  }

  /** Emits messages that nothing can match anymore (SEMANTICS R37). */
  private def unmatched(state: KeySides, stream: Int, rule: PairRule): Iterator[Part[JoinEffect]] =
    if (!outcome.emitsUnmatched(stream)) Iterator.empty
    else {
      val run                                = state.runs(stream)
      def undecided: Iterator[StoredMessage] = run.range(Axis.Time, Some(state.settledBelow(stream)), None)
      undecided.takeWhile(message => isDecided(message.time, stream, rule)).map[Part[JoinEffect]] { message => out =>
        state.settledBelow(stream) = Position.plus(message.time, 1)
        if (!message.isSettled) {
          run.settle(message)
          emit(outcome.unmatched(stream, message), out)
        }
      } ++ Part.silent(undecided.nextOption().foreach(message => state.settledBelow(stream) = message.time))
    }

  private def removed(state: KeySides, stream: Int, rule: PairRule): Iterator[Part[JoinEffect]] = {
    val (run, leaves) = (state.runs(stream), retention.leaves(stream, rule, watermark))
    if (!outcome.emitsUnmatched(stream)) Part.silent(retiredCount += run.retire(leaves))
    else Iterator.continually(run.leaving(leaves)).takeWhile(_.isDefined).flatten.map[Part[JoinEffect]] {
      message => out =>
        run.dropOldest()
        retiredCount += 1
        if (!message.isSettled) emit(outcome.unmatched(stream, message), out)
    }
  }

  /** When a key is next due, at the latest when it is not needed anymore. */
  private[join] def deadline(state: KeySides): Long = {
    val now = rule.in(state)
    val ofStreams = (0 until streams).flatMap { stream =>
      val run = state.runs(stream)
      val undecided =
        if (outcome.emitsUnmatched(stream)) run.nextTime(state.settledBelow(stream)).map(now.decidedFrom(_, stream))
        else None
      undecided ++ run.oldestTime.map(retention.leavesFrom(_, stream, run.size, now))
    }
    val closes = state.sessions.headOption.map { case (_, session) => spec.latenessInTime.after(session.end) }
    (ofStreams ++ closes).minOption.getOrElse(Due.Never)
  }

  // ---- queries

  /** The rows that will be emitted if no more messages arrive. */
  def pending: Iterator[PendingRow] =
    waiting.iterator.flatMap(_.all).collect { case (row, Some(until)) => PendingRow(row, None, Some(until)) } ++
      keys.all.map(keys.get(_)._2).flatMap(alone)

  private def alone(state: KeySides): Iterator[PendingRow] = {
    val now = rule.in(state)
    for {
      stream <- (0 until streams).iterator.filter(outcome.emitsUnmatched)
      run = state.runs(stream)
      (message, at) <- run.range(Axis.Time, None, None).zipWithIndex if !message.isSettled
      comes = math.min(now.decidedFrom(message.time, stream), retention.gone(message.time, stream, run.size - at, now))
      if comes != Due.Never
    } yield PendingRow(outcome.unmatched(stream, message), Some(comes), None)
  }

}

private object JoinShard {

  /** Number of partners of a message that are found before the first row is consumed. */
  private val AtOnce = 64

  private val SettlesNone: IndexedSeq[StoredMessage] => Unit = _ => ()
}
