package windrow.core.join

import windrow._

/** Creates the rule by which the messages of a join pair. */
private[join] object PairRules {
  def of(spec: JoinSpec): PairRule = spec.within match {
    case Within.Ranges(of) => new RangeRule(spec.names, of, spec.latenessInTime)
    case Within.Everything => new WindowRule(spec.names.map(_ => WindowFamily.Everything), spec)
    case Within.OwnWindows => new WindowRule(spec.streams.map(_.checkedSide), spec)
    case same: Within.SameWindow => same.checked match {
        case SharedWindows.Sessions(gap)    => new SessionRule(gap.micros, spec.latenessInTime)
        case SharedWindows.Aligned(windows) => new WindowRule(spec.names.map(_ => windows), spec)
      }
  }
}
