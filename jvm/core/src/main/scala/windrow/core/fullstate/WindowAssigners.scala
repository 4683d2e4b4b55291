package windrow.core.fullstate

import windrow.FullStateSpec
import windrow.WindowFamily._

/** Creates the assigner for each family of windows. */
private[fullstate] object WindowAssigners {
  def of(spec: FullStateSpec): WindowAssigner = {
    val lateness = spec.latenessInTime
    spec.family match {
      case aligned: Aligned                => new AlignedAssigner(aligned.grid, lateness)
      case sessions: Sessions              => new SessionAssigner(sessions.rowValue, lateness)
      case SingleWindow                    => new GlobalAssigner(spec.retention, lateness)
      case DistinctSets(size, granularity) => new SlidingAssigner(size.micros, granularity.micros, lateness)
      case over: MessageWindows            => new OverAssigner(over, lateness)
      case Numbered(n, step, _)            => new CountAssigner(n, step)
      case OffsetGrid(n, step)             => new OffsetAssigner(n, step, spec.startOffsets, spec.latenessInOffsets)
      case OffsetSessions(n)               => new TupleSessionAssigner(n)
    }
  }
}
