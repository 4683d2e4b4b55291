package windrow.core.join

import scala.collection.mutable.ArrayBuffer
import windrow._
import windrow.core.operator.{Out, Part}
import windrow.core.state.{Key, ShardStore, SpecFingerprint}
import windrow.core.store.StoredMessage
import windrow.core.time.{Axis, Due}

/** Joins each message of the first stream with the nearest one of the second (SEMANTICS R115 to R118).
  *
  * A key has four runs: the stored messages of both streams, and those that arrive in the current step. The arrived ones
  * are compared with the stored ones once, at the end of the step, so that a step changes a row at most once and the
  * order of its messages does not matter. If rows wait until they are certain, messages are stored at once.
  *
  * @param store
  *   where the shard is stored between two objects that run it; written at the end of each step
  * @param isNull
  *   whether an equality field of a key is null, in which case it matches nothing
  */
final class AsofShard private[join] (
    spec: JoinSpec,
    asOf: AsofRule,
    store: ShardStore,
    isNull: Key => Boolean,
    fingerprint: SpecFingerprint,
    guards: Guards)
    extends JoinFrame(spec, store, asOf, fingerprint, guards) {
  private val keepsUnmatched = spec.how == JoinKind.Left

  /** Whether a row is emitted only once it is certain. */
  private val waits = spec.early == Never

  /** The keys of the messages of this step, if rows are emitted before they are certain. */
  private val touched = ArrayBuffer.empty[Key]

  open()

  protected def runsOfKey: Int = 4

  protected def accept(stream: Int, message: StoredMessage, out: Out[JoinEffect]): Unit =
    if (spec.hasKeys && isNull(message.key)) {
      if (stream == 0) emit(message, None, out)
    } else {
      val (fixed, state) = sidesOf(message)
      val own = fixed.fold(message)(key => message.copy(key = key)) // so that each message does not store the key
      if (waits) state.runs(stream).add(own)
      else {
        if (state.runs(2).isEmpty && state.runs(3).isEmpty) touched += fixed.getOrElse(MessageLayout.Everyone)
        state.runs(2 + stream).add(own)
      }
      state.settledBelow(0) = Due.AtOnce
    }

  private def emit(message: StoredMessage, partner: Option[StoredMessage], out: Out[JoinEffect]): Unit =
    if (keepsUnmatched || partner.isDefined) out.put(JoinEffect.Row(rowOf(message, partner)))

  private def rowOf(message: StoredMessage, partner: Option[StoredMessage]): JoinRow =
    JoinRow(Vector(Some(message), partner))

  override protected def arrived: Iterator[Part[JoinEffect]] =
    touched.iterator.map[Part[JoinEffect]] { key => out =>
      val (_, state) = keys.get(key)
      out.andThen(corrected(state) ++ first(state) ++ Part.silent(store(state)))
    } ++ Part.silent(touched.clear())

  /** Emits the corrections of stored messages to which an arrived one is nearer. */
  private def corrected(state: KeySides): Iterator[Part[JoinEffect]] = {
    val (lefts, rights, arrived) = (state.runs(0), state.runs(1), state.runs(3))
    if (lefts.isEmpty || arrived.isEmpty) Iterator.empty
    else for {
      span    <- apart(arrived.range(Axis.Time, None, None).map(one => asOf.affected(rights, one.time)))
      message <- lefts.range(Axis.Time, Some(span.low), Some(span.high))
    } yield { out =>
      val before = asOf.nearest(rights, message.time)
      val after  = asOf.nearer(message.time, before, asOf.nearest(arrived, message.time))
      if (!isSame(before, after)) {
        if (keepsUnmatched || before.isDefined)
          out.put(JoinEffect.Row(rowOf(message, before).copy(isRetraction = true)))
        emit(message, after, out)
      }
    }
  }

  /** Whether two partners give the same row. */
  private def isSame(one: Option[StoredMessage], other: Option[StoredMessage]): Boolean = (one, other) match {
    case (Some(a), Some(b)) => (a eq b) || java.util.Arrays.equals(a.payload, b.payload)
    case _                  => one == other
  }

  /** Spans without a common time that cover the same times. The bounds of the given ones never decrease. */
  private def apart(spans: Iterator[Span]): Iterator[Span] = {
    val ahead = spans.filter(span => span.low <= span.high).buffered
    Iterator.continually(ahead).takeWhile(_.hasNext).map { more =>
      var span = more.next()
      while (more.headOption.exists(_.low <= span.high)) span = span.hull(more.next())
      span
    }
  }

  /** Emits the first rows of arrived messages. */
  private def first(state: KeySides): Iterator[Part[JoinEffect]] =
    Part.each[StoredMessage, JoinEffect](state.runs(2).range(Axis.Time, None, None)) { (message, out) =>
      val time = message.time
      emit(message, asOf.nearer(time, asOf.nearest(state.runs(1), time), asOf.nearest(state.runs(3), time)), out)
    }

  private def store(state: KeySides): Unit = Seq(0, 1).foreach { stream =>
    state.runs(2 + stream).takeAll().foreach(state.runs(stream).add)
  }

  // ---- the end of a step

  protected def stepEnd(isFirstP: Boolean): Iterator[Part[JoinEffect]] =
    dueKeys.map[Part[JoinEffect]](key => out => Option(keys.get(key)).foreach(endOf(key, _, out)))

  private def endOf(key: Key, kept: (Option[Key], KeySides), out: Out[JoinEffect]): Unit = {
    val state = kept._2
    if (watermark.isDue(state.settledBelow(0))) {
      keys.put(key, kept)
      out.andThen(Part.each[StoredMessage, JoinEffect](decided(state))((message, out) =>
        if (waits) emit(message, asOf.nearest(state.runs(1), message.time), out)) ++ Part.silent(clean(key, state)))
    }
  }

  /** Removes the messages of the first stream that are certain, and returns them. */
  private def decided(state: KeySides): Iterator[StoredMessage] = {
    val lefts = state.runs(0)
    Iterator.continually(lefts.oldest.filter(message => watermark.isDue(decidedFrom(state, message.time))))
      .takeWhile(_.isDefined).flatten.map { message =>
        lefts.dropOldest()
        retiredCount += 1
        message
      }
  }

  /** The watermark from which on a message of the first stream is certain; a later one if no row waits for it. */
  private def decidedFrom(state: KeySides, time: Long): Long =
    asOf.decidedFrom(time, if (waits) asOf.nearest(state.runs(1), time) else None)

  private def clean(key: Key, state: KeySides): Unit = {
    val (lefts, rights) = (state.runs(0), state.runs(1))
    val accepted        = watermark.leaves(spec.latenessInTime)
    val oldest          = lefts.oldestTime
    retiredCount += asOf.retire(rights, oldest.fold(accepted)(math.min(_, accepted)))
    state.settledBelow(0) = oldest.fold(asOf.leavesFrom(rights))(decidedFrom(state, _))
    if (state.isEmpty) keys.remove(key)
  }

  private[join] def deadline(state: KeySides): Long = state.settledBelow(0)

  // ---- queries

  def pending: Iterator[PendingRow] = if (!waits) Iterator.empty
  else for {
    key <- keys.all
    state = keys.get(key)._2
    message <- state.runs(0).range(Axis.Time, None, None)
    partner = asOf.nearest(state.runs(1), message.time)
    if keepsUnmatched || partner.isDefined
  } yield PendingRow(rowOf(message, partner), Some(asOf.decidedFrom(message.time, partner)), None)
}
