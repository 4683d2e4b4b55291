import sbt.*
import sbt.Keys.*

/** Checks that a project does not depend on Spark, by the class paths that it is compiled and tested with. */
object SparkFree {
  val sparkFree = taskKey[Unit]("Fails if a Spark artifact is on this project's class path")

  private def sparkArtefacts(classpath: Classpath): Seq[String] =
    classpath.filter { entry =>
      TestedSpark.organization(entry).contains("org.apache.spark") || entry.data.getName.startsWith("spark-")
    }.map(_.data.getName).distinct

  /** @param control
    *   a project with Spark on its class path, where the check must find it: this detects a check that never fails
    */
  def settings(control: Reference): Seq[Setting[?]] = Seq(
    sparkFree := {
      if (sparkArtefacts((control / Compile / managedClasspath).value).isEmpty)
        throw new MessageOnlyException("sparkFree does not find Spark in the control project, so the check is broken")
      val found = sparkArtefacts((Compile / fullClasspath).value ++ (Test / fullClasspath).value)
      if (found.nonEmpty)
        throw new MessageOnlyException(s"${name.value} must not depend on Spark, but has ${found.mkString(", ")}.")
    },
    Test / test := (Test / test).dependsOn(sparkFree).value)
}
