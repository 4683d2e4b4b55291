package windrow.spark.pack

import java.nio.file.Files
import org.apache.hadoop.conf.Configuration
import org.scalatest.funsuite.AnyFunSuite

/** Tests whether a folder marks the end of the input (SEMANTICS R71). */
final class EndMarkerSpec extends AnyFunSuite {
  test("files that Spark does not read do not count: some committers write a report into _SUCCESS") {
    val folder                  = Files.createTempDirectory("windrow-end")
    def hasEnd                  = EndMarker(folder.toString).hasEnd(new Configuration())
    def add(name: String): Unit = Files.writeString(folder.resolve(name), "end of input"): Unit
    assert(!EndMarker(folder.resolve("none").toString).hasEnd(new Configuration()) && !hasEnd)
    Seq("_SUCCESS", ".part-0.txt.crc").foreach(add)
    assert(!hasEnd)
    add("part-0.txt")
    assert(hasEnd)
  }
}
