import sbt.*
import sbt.Keys.*

/** The proof that a project knows no Spark: a check of everything it is compiled and tested with. */
object SparkFree {
  val sparkFree = taskKey[Unit]("Fails if a Spark artefact is on this project's class path")

  private def sparkArtefacts(classpath: Classpath): Seq[String] =
    classpath.filter { entry =>
      TestedSpark.organization(entry).contains("org.apache.spark") || entry.data.getName.startsWith("spark-")
    }.map(_.data.getName).distinct

  /** @param control
    *   a project whose class path has Spark on it: there the check must find it, or it proves nothing
    */
  def settings(control: Reference): Seq[Setting[?]] = Seq(
    sparkFree := {
      if (sparkArtefacts((control / Compile / managedClasspath).value).isEmpty)
        throw new MessageOnlyException("sparkFree finds no Spark where there is some: the check is broken")
      val found = sparkArtefacts((Compile / fullClasspath).value ++ (Test / fullClasspath).value)
      if (found.nonEmpty)
        throw new MessageOnlyException(s"${name.value} must not know Spark, but sees: ${found.mkString(", ")}")
    },
    Test / test := (Test / test).dependsOn(sparkFree).value)
}
