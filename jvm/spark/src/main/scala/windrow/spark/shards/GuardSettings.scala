package windrow.spark.shards

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.internal.SQLConf
import windrow.{Guard, Guards, SpecError, SpecProblem}

/** Reads the limits of guards from the settings of a session. A running query reads them itself, so changed settings
  * apply from its next start on, even if it was described before the change.
  */
private[spark] object GuardSettings {

  /** Reads the limits of a session.
    *
    * @throws SpecError
    *   if a limit is not a positive integer
    */
  def apply(session: SparkSession): Guards = read(session.conf.get(_, _))

  /** Reads the limits of the running task. Spark gives a task the settings with which its query was started. */
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
