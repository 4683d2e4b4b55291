package windrow.core.policy

import windrow._
import windrow.core.state.FingerprintField

/** The properties of policies that are written into the state of a [[PolicyShard]] and must not change while the state
  * exists. The text is independent of class names.
  */
object PolicyFingerprint {
  def apply(eviction: Eviction): FingerprintField = {
    val text = eviction match {
      case Eviction.Tumbling(by)          => s"Tumbling(${words(by)})"
      case Eviction.ByPunctuation(column) => s"ByPunctuation($column)"
      case Eviction.Sliding(by, trigger)  => s"Sliding(${words(by)},${words(trigger)})"
    }
    FingerprintField("policy", text)
  }

  private def words(by: By): String = by match {
    case ByCount(n)             => s"ByCount($n)"
    case ByTime(period)         => s"ByTime($period)"
    case ByDelta(column, delta) => s"ByDelta($column,$delta)"
  }
}
