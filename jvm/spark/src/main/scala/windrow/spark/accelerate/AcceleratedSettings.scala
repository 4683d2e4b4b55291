package windrow.spark.accelerate

import org.apache.spark.sql.SparkSession
import windrow.{SpecError, TimeSpan}

/** The settings of accelerated queries beside the one that turns acceleration on.
  *
  * @param rejected
  *   the folder for rejected rows (SEMANTICS R155)
  * @param lateness
  *   how late rows may be that still update their window, in mode `update` (SEMANTICS R156)
  */
private final case class AcceleratedSettings(rejected: Option[String], lateness: Option[TimeSpan])

private object AcceleratedSettings {
  val Rejected = "spark.windrow.accelerate.rejected"
  val Lateness = "spark.windrow.accelerate.lateness"

  /** Reads the settings of a session.
    *
    * @throws SpecError
    *   if a value is not understood
    */
  def apply(session: SparkSession): AcceleratedSettings = {
    def text(name: String) = session.conf.getOption(name).map(_.trim).filter(_.nonEmpty)
    AcceleratedSettings(
      text(Rejected),
      text(Lateness).map(value => TimeSpan.parse(value).fold(why => throw SpecError(Lateness, Seq(why)), identity)))
  }
}
