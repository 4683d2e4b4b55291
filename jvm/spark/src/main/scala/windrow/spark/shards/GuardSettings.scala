package windrow.spark.shards

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.internal.SQLConf
import windrow.Guard
import windrow.Guards
import windrow.SpecError
import windrow.SpecProblem

/** The limits of guards as a session sets them. A query reads them as it runs, so that they count from its next start, also
  * where it was described before they were set.
  */
private[spark] object GuardSettings {

  /** Those of a session.
    *
    * @throws SpecError
    *   if a limit is not a positive whole number
    */
  def apply(session: SparkSession): Guards = read(session.conf.get(_, _))

  /** Those that a task runs with: Spark gives it the settings with which its query was started. */
  def running: Guards = read(SQLConf.get.getConfString(_, _))

  private def read(setting: (String, String) => String): Guards = {
    def limit(guard: Guard): Long = {
      val text = setting(guard.setting, guard.default.toString)
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
