package windrow.core.policy

import windrow._
import windrow.core.state.FingerprintField

/** What of policies is written into the state of a [[PolicyShard]], and so may not change while that lives: in words of its
  * own, which stay when a class has another name.
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
