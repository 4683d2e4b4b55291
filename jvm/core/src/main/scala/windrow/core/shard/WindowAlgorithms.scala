package windrow.core.shard

import windrow.WindowFamily._
import windrow.core.aggregate.{Aggregation, BufferWithOffsets, OffsetAggregation, StartOffsets}
import windrow.core.grid.SliceGrid
import windrow.core.offsets.Progress
import windrow.core.operator.aligned.AlignedAlgorithm
import windrow.core.operator.keyed.{CountAlgorithm, KeyedAlgorithm}
import windrow.core.operator.partitioned.{OffsetWindows, PartitionWindows, PartitionedAlgorithm, TupleSessions}
import windrow.core.operator.run.RunAlgorithm
import windrow.core.operator.sessions.{CutAlgorithm, InheritAlgorithm, SessionAlgorithm}
import windrow.core.operator.several.SeveralAlgorithm
import windrow.core.operator.{Counters, Effect, Entry, OpenWindow, Origin, Out, Part, WindowAlgorithm}
import windrow.core.state.{OwnSpaces, Spaces, StatePart, StateParts}
import windrow.core.time.{Axis, StepClock, Watermark}
import windrow.{CloseOn, WindowOperatorSpec}

/** Creates the algorithm for each family of windows. */
private[core] object WindowAlgorithms {

  def apply[B, V](
      spec: WindowOperatorSpec,
      aggregation: Aggregation[B, V],
      store: Spaces): WindowAlgorithm[B, V] = spec.closeOn match {
    case CloseOn.Watermark => of(spec, aggregation, None, store)
    case CloseOn.NextRow => new StartOffsetAlgorithm(of[BufferWithOffsets[B], V](
        spec,
        new OffsetAggregation(aggregation),
        Some(_.starts),
        store))
  }

  /** @param startsOf
    *   offsets at which the messages of a buffer start, if messages complete the windows
    */
  private def of[B, V](
      spec: WindowOperatorSpec,
      aggregation: Aggregation[B, V],
      startsOf: Option[B => StartOffsets],
      store: Spaces): WindowAlgorithm[B, V] = {
    def aligned(grid: SliceGrid[Axis.Time]) = startsOf.fold[WindowAlgorithm[B, V]](
      new AlignedAlgorithm(grid, spec, aggregation, store))(
      new KeyedAlgorithm(grid, spec, aggregation, _, store))
    def byPartition(make: (Long, Spaces) => PartitionWindows[B, V]) =
      new PartitionedAlgorithm(spec.startOffsets, store, make)
    spec.window.family match {
      case windows: Aligned      => aligned(windows.grid)
      case SingleWindow          => aligned(SliceGrid.SingleWindow)
      case _: Sessions           => new SessionAlgorithm(spec, aggregation, store)
      case sessions: CutSessions => new CutAlgorithm(sessions.maxLength, spec, aggregation, store)
      case _: Inherited          => new InheritAlgorithm(spec, aggregation, store)
      case run: Run              => new RunAlgorithm(run, spec, aggregation, startsOf, store)
      case numbers: Numbered     => new CountAlgorithm(numbers, spec, aggregation, startsOf, store)
      case offsets: OffsetGrid =>
        byPartition((start, part) => new OffsetWindows(offsets, start, spec, aggregation, startsOf, part))
      case OffsetSessions(n) => byPartition((_, part) => new TupleSessions(n, spec, aggregation, part))
      case _: Several =>
        new SeveralAlgorithm(
          aggregation,
          spec.named.zipWithIndex.map { case ((name, own), i) =>
            (name, own.window, of(own, aggregation, startsOf, new OwnSpaces(store, i)))
          })
    }
  }
}

/** An algorithm for windows that need the start offsets of their messages. */
private final class StartOffsetAlgorithm[B, V](inner: WindowAlgorithm[BufferWithOffsets[B], V])
    extends WindowAlgorithm[B, V]
    with StateParts {
  override def begin(progress: Seq[Progress]): Unit = inner.begin(progress)
  override def see(origin: Origin): Unit            = inner.see(origin)
  override def hasPlace(entry: Entry[B]): Boolean   = inner.hasPlace(started(entry))

  private def started(entry: Entry[B]): Entry[BufferWithOffsets[B]] = entry.copy(buffer =
    BufferWithOffsets(
      entry.buffer,
      StartOffsets(entry.origin.map(one => one.partition -> one.offset).toMap)))

  private def plain(entry: Entry[BufferWithOffsets[B]] => Entry[B])(effect: Effect[BufferWithOffsets[B], V])
      : Effect[B, V] = effect match {
    case rejection: Effect.Reject[BufferWithOffsets[B]] => rejection.copy(entry = entry(rejection.entry))
    case Effect.Fire(pane)                              => Effect.Fire(pane)
  }

  def add(entry: Entry[B], clock: StepClock, counters: Counters, out: Out[Effect[B, V]]): Unit =
    inner.add(started(entry), clock, counters, out.taking(plain(_ => entry)))

  def advance(clock: StepClock, now: Watermark): Iterator[Part[Effect[B, V]]] =
    inner.advance(clock, now).map(_.as(plain(refused => refused.copy(buffer = refused.buffer.buffer))))

  def processingDeadline: Option[Long]                    = inner.processingDeadline
  def keyCount: Long                                      = inner.keyCount
  def openWindows(at: Watermark): Iterator[OpenWindow[B]] = inner.openWindows(at).map(_.map(_.buffer))

  protected def parts: Seq[StatePart] = Seq(inner)
}
