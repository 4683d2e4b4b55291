package windrow.spark.shards

import org.apache.spark.sql.SparkSession
import windrow.Guard
import windrow.Guards
import windrow.SpecError
import windrow.SpecProblem

/** The limits of guards as a session sets them; they count from the next start of a query. */
private[spark] object GuardSettings {

  def apply(session: SparkSession): Guards = {
    def limit(guard: Guard): Long = {
      val text = session.conf.get(guard.setting, guard.default.toString)
      text.toLongOption.filter(_ > 0).getOrElse(throw SpecError(
        guard.setting,
        Seq(SpecProblem("LIMIT_NOT_UNDERSTOOD", "value" -> text))))
    }
    Guards(
      limit(Guard.WindowsPerMessage),
      limit(Guard.MessagesPerWindow),
      limit(Guard.KeysPerShard),
      limit(Guard.PendingOutput))
  }
}
