package windrow.core.join

import windrow._
import windrow.core.time.{Axis, Distance}

/** Computes how far messages in the rows of a join can be behind its watermark, by their stream (SEMANTICS R95): as
  * long as a message can wait for the partner with which it is emitted, or until it is certain that it has none.
  */
private[windrow] object JoinLag {
  private type Lag = Distance[Axis.Time]

  private val none: Lag    = Distance.none
  private val endless: Lag = Distance.endless

  def of(spec: JoinSpec): IndexedSeq[Lag] = spec.within match {
    case asOf: Within.AsOf => ofNearest(asOf, spec)
    case _                 => ofPairs(spec)
  }

  /** The lag in an as-of join. A message of the first stream waits for the last possible partner, and until no late one
    * is accepted if its row must be certain. A partner can be earlier by the tolerance.
    */
  private def ofNearest(asOf: Within.AsOf, spec: JoinSpec): IndexedSeq[Lag] = {
    val tolerance = asOf.tolerance.fold(endless)(span)
    val ahead     = if (asOf.direction == AsofDirection.Backward) none else tolerance
    val behind    = if (asOf.direction == AsofDirection.Forward) none else tolerance
    val first     = if (spec.early == Never) sum(ahead, span(spec.lateness)) else ahead
    IndexedSeq(first, sum(first, behind))
  }

  private def sum(a: Lag, b: Lag): Lag = if (a.isEndless || b.isEndless) endless else a + b

  private def ofPairs(spec: JoinSpec): IndexedSeq[Lag] = {
    val outcome = new JoinOutcome(spec.how)
    spec.streams.indices.map { stream =>
      val paired = most(none, reach(spec, stream))
      if (outcome.emitsUnmatched(stream)) most(paired, alone(spec, stream)) else paired
    }
  }

  /** The lag of the end of a window. The window of a pair ends after both of its messages, the window of an unmatched
    * message after this message.
    */
  def ofWindowEnd(spec: JoinSpec): Lag =
    if (spec.how == JoinKind.Inner || spec.how == JoinKind.Semi) none else of(spec).reduce(most)

  def most(a: Lag, b: Lag): Lag = if (a.value >= b.value) a else b

  /** How long after a message its last partner can be; may be negative. */
  private def reach(spec: JoinSpec, stream: Int): Lag = spec.within match {
    case Within.Ranges(of)                     => new Distance(JoinReach.of(spec.names(stream), spec.names, of))
    case Within.SameWindow(window)             => longest(window)
    case Within.Everything | Within.OwnWindows => if (isFree(spec)) kept(spec) else ownWindows(spec)
    case _: Within.AsOf                        => endless
  }

  /** How long after a message no possible partner is accepted anymore. */
  private def alone(spec: JoinSpec, stream: Int): Lag =
    if (isFree(spec)) kept(spec)
    else Seq(reach(spec, stream), more(spec), span(spec.lateness)).reduce(sum)

  /** How much later than the message's own window the windows of its last partner can end. */
  private def more(spec: JoinSpec): Lag = spec.within match {
    case same: Within.SameWindow => same.checked match {
        case SharedWindows.Aligned(windows) => if (windows.grid.overlaps) longest(same.window) else none
        case _: SharedWindows.Sessions      => none
      }
    case Within.OwnWindows                                     => ownWindows(spec)
    case Within.Everything | _: Within.Ranges | _: Within.AsOf => none
  }

  private def ownWindows(spec: JoinSpec): Lag = spec.streams.flatMap(_.window).map(longest).reduce(most)

  private def longest(window: WindowKind): Lag = window.longest.fold(endless)(span)

  /** The lag if only a time of retention ends the wait. */
  private def kept(spec: JoinSpec): Lag = spec.retention.time.fold(endless)(span)

  private def isFree(spec: JoinSpec): Boolean = spec.within match {
    case Within.Everything                                        => true
    case Within.OwnWindows                                        => !spec.streams.forall(_.isBounded)
    case _: Within.SameWindow | _: Within.Ranges | _: Within.AsOf => false
  }

  private def span(of: TimeSpan): Lag = new Distance(of.micros)
}
