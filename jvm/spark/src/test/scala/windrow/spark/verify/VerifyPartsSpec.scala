package windrow.spark.verify

import java.io.File
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import java.util.zip.CRC32
import org.apache.hadoop.conf.Configuration
import org.scalatest.funsuite.AnyFunSuite

/** Tests the required contents and the purposes of single files (SEMANTICS S13). */
final class VerifyPartsSpec extends AnyFunSuite {

  private def having[T](files: (String, Array[Byte])*)(check: Path => T): T = {
    val folder = Files.createTempDirectory("parts")
    files.foreach { case (name, bytes) =>
      Files.createDirectories(folder.resolve(name).getParent)
      Files.write(folder.resolve(name), bytes)
    }
    try check(folder)
    finally {
      def delete(file: File): Unit = {
        Option(file.listFiles).toSeq.flatten.foreach(delete)
        file.delete(): Unit
      }
      delete(folder.toFile)
    }
  }

  test("a JSON field occurs once, and no data follows the end") {
    assert(StrictJson.read("""{"a": 1, "b": 2}""").isDefined)
    assert(StrictJson.read("""{"a": 1, "a": 2}""").isEmpty && StrictJson.read("""{"a": 1} 2""").isEmpty)
  }

  test("a fault found twice is reported although its batch has changed in between") {
    val damaged = Finding("state/0/0/1.sst", Some(7), "it has 3 bytes instead of 4.", Remedy.Restore)
    val passing = Finding("state/0/0/2.changelog", Some(8), "it is missing.", Remedy.Restore)
    val later   = damaged.copy(batch = Some(17), isDamage = false)
    assert(Findings.stillThere(Seq(damaged, passing), Seq(later)) == Seq(later))
    assert(Findings.stillThere(Seq(passing), Seq(later)).isEmpty)
  }

  test("Spark goes on from the last two plans and the last commit") {
    def needed(planned: Set[Long], done: Set[Long]) = Batches(planned, done).needs.map(_.name).drop(1)
    assert(needed(Set(0, 1, 2), Set(0, 1)) == Seq("offsets/1", "offsets/2", "commits/1"))
    assert(needed(Set(0, 1, 2), Set(0, 1, 2)) == Seq("offsets/1", "offsets/2", "commits/2"))
    assert(needed(Set(0), Set()) == Seq("offsets/0"))
  }

  test("the log of a sink goes up to the last batch of the query") {
    val entry =
      """v1
        |{"path":"file:///a","size":1,"isDir":false,"modificationTime":2,"blockReplication":1,"blockSize":3,"action":"add"}""".stripMargin
        .getBytes(UTF_8)
    having("_spark_metadata/0" -> entry, "_spark_metadata/1" -> entry) { folder =>
      def missing(committed: Option[Long]) =
        SinkLogs(new Configuration, folder.toString, committed).findings.map(_.file.split('/').last)
      assert(missing(None).isEmpty && missing(Some(1)).isEmpty && missing(Some(3)) == Seq("2", "3"))
    }
  }

  test("checksums of Hadoop are of parts that fit into memory") {
    val content = "some".getBytes(UTF_8)
    val crc     = new CRC32
    crc.update(content)
    def wrong(part: Int) = {
      val sums = ByteBuffer.allocate(12).putInt(0x63726300).putInt(part).putInt(crc.getValue.toInt).array
      having("data" -> content, ".data.crc" -> sums) { path =>
        val folder = Folder.list(new Configuration, path.toString)
        ChecksumFiles.wrong(folder, folder.get("data").get, folder.get(".data.crc").get)
      }
    }
    assert(wrong(512).isEmpty)
    assert(wrong(1 << 30).isDefined && wrong(Int.MinValue).isDefined)
  }
}
