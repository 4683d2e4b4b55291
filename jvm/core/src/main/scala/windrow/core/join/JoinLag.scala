package windrow.core.join

import windrow._
import windrow.core.time.Axis
import windrow.core.time.Distance

/** How far the messages in the rows of a join may lie behind its watermark, by their stream (SEMANTICS R95): as long as a
  * message can wait for the partner with which it comes out, or for the certainty that it has none.
  */
private[windrow] object JoinLag {
  private type Lag = Distance[Axis.Time]

  private val none: Lag    = Distance.none
  private val endless: Lag = Distance.endless

  def of(spec: JoinSpec): IndexedSeq[Lag] = {
    val outcome = new JoinOutcome(spec.how)
    spec.streams.indices.map { stream =>
      val paired = most(none, reach(spec, stream))
      if (outcome.tellsUnmatched(stream)) most(paired, alone(spec, stream)) else paired
    }
  }

  /** The window of a pair ends after both its messages, that of an unmatched message after this one. */
  def ofWindowEnd(spec: JoinSpec): Lag =
    if (spec.how == JoinKind.Inner || spec.how == JoinKind.Semi) none else of(spec).reduce(most)

  def most(a: Lag, b: Lag): Lag = if (a.value >= b.value) a else b

  /** How long after a message its last partner may lie; it may be negative. */
  private def reach(spec: JoinSpec, stream: Int): Lag = spec.within match {
    case Within.Ranges(of)             => new Distance(JoinReach.of(spec.names(stream), spec.names, of))
    case Within.SameWindow(_: Session) => endless
    case Within.SameWindow(window)     => longest(window)
    case _                             => if (isFree(spec)) kept(spec) else ownWindows(spec)
  }

  /** After it no message is accepted that could still be a partner. */
  private def alone(spec: JoinSpec, stream: Int): Lag =
    if (isFree(spec)) kept(spec)
    else Seq(reach(spec, stream), more(spec), span(spec.lateness)).reduce((a, b) =>
      if (a.isEndless || b.isEndless) endless else a + b)

  /** How long after the last partner windows that hold it end, beyond the one of the message itself. */
  private def more(spec: JoinSpec): Lag = spec.within match {
    case Within.SameWindow(windows: FixedWindows) if windows.step.micros < windows.size.micros => span(windows.size)
    case Within.OwnWindows                                                                     => ownWindows(spec)
    case _                                                                                     => none
  }

  private def ownWindows(spec: JoinSpec): Lag = spec.streams.flatMap(_.window).map(longest).reduce(most)

  private def longest(window: WindowKind): Lag = window.longest.fold(endless)(span)

  /** Only a time of retention ends the wait. */
  private def kept(spec: JoinSpec): Lag = spec.retention.time.fold(endless)(span)

  private def isFree(spec: JoinSpec): Boolean = spec.within match {
    case Within.Everything => true
    case Within.OwnWindows => !spec.streams.forall(_.window.exists(_.boundsSide))
    case _                 => false
  }

  private def span(of: TimeSpan): Lag = new Distance(of.micros)
}
