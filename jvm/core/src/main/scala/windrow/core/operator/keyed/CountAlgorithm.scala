package windrow.core.operator
package keyed

import windrow._
import windrow.core.aggregate.{Aggregation, StartOffsets}
import windrow.core.grid.PositionGrid
import windrow.core.state._
import windrow.core.time.{Axis, Distance, Due, Front, Sequence, StepClock, Watermark}
import windrow.core.trigger.{ProcessingTimer, WindowTrigger}

/** Windows of a key's messages by sequence number, in order of acceptance. No message is late for them. */
private[core] final class CountAlgorithm[B, V](
    windows: WindowFamily.Numbered,
    spec: WindowOperatorSpec,
    aggregation: Aggregation[B, V],
    startsOf: Option[B => StartOffsets],
    store: Spaces)
    extends WindowAlgorithm[B, V]
    with StateParts {
  private val policy  = new WindowTrigger(spec.early, spec.late)
  private val periods = new ProcessingTimer(policy)
  private val grid    = new PositionGrid[Axis.Sequence](windows.n, windows.step, start = 0)
  private val panes   = new GridPanes(grid, spec, aggregation, policy, periods)
  private val keyStates = startsOf.fold[GridWindows[Axis.Sequence, B, V]](
    new PassedWindows(panes, lateness = Distance.none))(
    new NextRowWindows(panes, lateness = Distance.endless, closesComplete = true, _))
  private val segments = new Segments("runs", store)
  private val codec    = new GridKeyStateCodec[Axis.Sequence, B](aggregation, segments)

  /** Messages and records of each key, by slice. Keys are never removed, because their sequence numbers continue.
    * Stored in the checkpoint.
    */
  private val keys = new KeyBuckets[GridKeyState[Axis.Sequence, B]]("keys", store, codec, _ => Due.Never)

  def processingDeadline: Option[Long] = periods.next
  def keyCount: Long                   = keys.size

  def add(entry: Entry[B], clock: StepClock, counters: Counters, out: Out[Effect[B, V]]): Unit =
    if (clock.before.isEnd)
      out.put(Effect.Reject(entry, Refusal.late(spec, entry.time.get, clock.before), clock.before))
    else {
      val keyState = Option(keys.get(entry.key)).getOrElse(codec.empty)
      val position = keyState.next
      keyState.next += entry.value
      keyState.change()
      keys.put(entry.key, keyState)
      if (grid.inGap(position)) counters.gaps += entry.count
      else {
        counters.accepted += entry.count
        keyStates.add(
          entry.key,
          keyState,
          Sequence(position),
          entry,
          Front(keyState.ended),
          Front(keyState.next),
          clock,
          out)
      }
    }

  def advance(clock: StepClock, now: Watermark): Iterator[Part[Effect[B, V]]] = {
    val isDue      = periods.takeReached(clock.processingTime)
    val looksAtAll = isDue || now.isEnd
    (if (looksAtAll) keys.walkAll else keys.walkChanged)
      .filter(key => looksAtAll || keys.get(key).isChanged)
      .flatMap { key =>
        val keyState                 = keys.get(key)
        val to: Front[Axis.Sequence] = if (now.isEnd) Front.end else Front(keyState.next)
        keyStates.endStep(key, keyState, Front(keyState.ended), to, Front(_), clock) ++ Part.silent {
          keyState.ended = keyState.next
          keys.put(key, keyState)
        }
      }
  }

  def openWindows(at: Watermark): Iterator[OpenWindow[B]] = keys.walkAll.flatMap { key =>
    val keyState = keys.get(key)
    val now      = Front[Axis.Sequence](keyState.ended)
    keyStates.open(keyState, now).map(start =>
      panes.window(key, keyState, start, keyStates.isComplete(keyState, start, now)))
  }

  protected def parts: Seq[StatePart] = Seq(segments, keys, periods)
}
