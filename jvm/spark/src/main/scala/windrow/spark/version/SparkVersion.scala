package windrow.spark.version

import org.apache.spark.SPARK_VERSION

/** Selects code by the version of Spark that runs.
  *
  * The code is compiled with Spark 4.1. Spark 4.0 has some classes in other packages, so the build copies the few classes
  * of Windrow that name them (`project/Spark40.scala`). A copy has the same name in the package `windrow.spark40`. Other
  * code must not name these classes, because they cannot be loaded with the other version.
  */
object SparkVersion {

  /** Whether Spark 4.0 runs. */
  val is40: Boolean = SPARK_VERSION.startsWith("4.0.")

  /** Whether Spark 4.2 or a later version runs. */
  val isSince42: Boolean = !Seq("4.0.", "4.1.").exists(SPARK_VERSION.startsWith)

  /** Whether Spark 4.3 or a later version runs. */
  val isSince43: Boolean = isSince42 && !SPARK_VERSION.startsWith("4.2.")

  /** Returns the name of the class that fits the version, given the name of a class that is copied. */
  def nameOf(copied: String): String =
    if (is40) copied.replaceFirst("^windrow\\.spark\\.", "windrow.spark40.") else copied

  /** Returns the object that fits the version, given the name of an object that is copied. */
  def variant[A](copied: String): A =
    Class.forName(s"${nameOf(copied)}$$", true, getClass.getClassLoader).getField("MODULE$").get(null).asInstanceOf[A]
}
