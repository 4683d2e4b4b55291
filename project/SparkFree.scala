import sbt.*
import sbt.Keys.*

/** The proof that a project knows no Spark: a check of everything it is compiled and tested with. */
object SparkFree {
  val sparkFree = taskKey[Unit]("Fails if a Spark artefact is on this project's class path")

  private def sparkArtefacts(classpath: Classpath): Seq[String] =
    classpath.flatMap { entry =>
      val organization = entry.get(moduleID.key).map(_.organization)
      val name         = entry.data.getName
      if (organization.contains("org.apache.spark") || name.startsWith("spark-")) Some(name) else None
    }

  /** @param control
    *   a project whose class path has Spark on it: there the check must find it, or it proves nothing
    */
  def settings(control: Reference): Seq[Setting[?]] = Seq(
    sparkFree := {
      if (sparkArtefacts((control / Compile / managedClasspath).value).isEmpty)
        sys.error("sparkFree finds no Spark where there is some: the check is broken")
      val found = sparkArtefacts((Compile / fullClasspath).value ++ (Test / fullClasspath).value)
      if (found.nonEmpty)
        sys.error(
          s"${thisProject.value.id} must not know Spark, but has on its class path: ${found.distinct.mkString(", ")}")
    },
    Test / test := (Test / test).dependsOn(sparkFree).value)
}
