package windrow.spark

import java.util.Properties

/** The version of this JAR. */
object WindrowVersion {
  lazy val value: String = {
    val properties = new Properties
    val stream     = getClass.getResourceAsStream("/windrow/version.properties")
    try properties.load(stream)
    finally stream.close()
    properties.getProperty("version")
  }
}
