package windrow.core.join

import windrow._

/** Creates the rule by which the messages of a join pair. */
private[join] object PairRules {

  /** Creates the rule of a join.
    *
    * @param waits
    *   how long messages of each stream wait for partners if not as the ranges require; see [[RangeRule]]
    */
  def of(spec: JoinSpec, waits: Option[IndexedSeq[Long]] = None): PairRule = spec.within match {
    case Within.Ranges(of) =>
      val names = spec.names
      new RangeRule(
        names,
        of,
        waits.getOrElse(names.map(JoinReach.of(_, names, of)).toIndexedSeq),
        spec.latenessInTime)
    case Within.Everything => new WindowRule(spec.names.map(_ => WindowFamily.SingleWindow), spec)
    case Within.OwnWindows => new WindowRule(spec.streams.map(_.checkedSide), spec)
    case asOf: Within.AsOf => new AsofRule(asOf, spec.latenessInTime)
    case same: Within.SameWindow => same.checked match {
        case SharedWindows.Sessions(gap)    => new SessionRule(gap.micros, spec.latenessInTime)
        case SharedWindows.Aligned(windows) => new WindowRule(spec.names.map(_ => windows), spec)
      }
  }
}
