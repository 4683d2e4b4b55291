package windrow.spark.verify

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import java.io.ByteArrayInputStream
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import java.util.Base64
import java.util.zip.InflaterInputStream
import org.apache.hadoop.conf.Configuration
import org.scalatest.tags.Slow
import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal
import windrow.core.state.{Damage, DamagedStateError}
import windrow.spark.SparkSuite

/** Tests `verify` with checkpoint files of arbitrary content: it reports the damage, or reads the file (SEMANTICS S13).
  */
@Slow
final class VerifyDamageSuite extends SparkSuite {
  import FileKind._

  private val files: Map[String, Array[Byte]] = {
    val kept = new ObjectMapper().readTree(Path.of("tests/checkpoints/0.1.0/join_in_range.json").toFile)
    kept.get("checkpoint").properties.asScala.map(one => one.getKey -> content(one.getValue)).toMap
  }

  private def content(of: JsonNode): Array[Byte] =
    if (of.isTextual) of.asText.getBytes(UTF_8)
    else new InflaterInputStream(
      new ByteArrayInputStream(Base64.getDecoder.decode(of.get("deflated").asText))).readAllBytes()

  private def read(name: String): Option[(String, Array[Byte] => Either[String, Any])] = FileKind.of(name) match {
    case Plan(_)                             => Some("plans" -> Logs.planned)
    case Commit(_)                           => Some("commits" -> Logs.committed)
    case _: SourceLog                        => Some("logs of file sources" -> Logs.sourceLog)
    case QueryId                             => Some("names of queries" -> Logs.query)
    case Mark                                => Some("marks of folders" -> Logs.mark)
    case Operator(_)                         => Some("operators" -> Logs.operator)
    case Schema(_)                           => Some("schemas" -> Schemas.read)
    case version: Version if version.isWhole => Some("snapshots" -> Snapshots.read)
    case _: Version =>
      spark: Unit // needed for decompression
      Some("changes" -> (bytes => ChangelogFile.wrong(() => new ByteArrayInputStream(bytes), "lz4").toLeft(())))
    case _ => None
  }

  private val sink =
    """v1
      |{"path":"file:///a","size":1,"isDir":false,"modificationTime":2,"blockReplication":1,"blockSize":3,"action":"add"}""".stripMargin

  private val readers: Map[String, (Array[Byte], Array[Byte] => Either[String, Any])] =
    files.toSeq.sortBy(_._1).flatMap { case (name, bytes) =>
      read(name).map { case (what, read) => what -> (bytes, read) }
    }.toMap ++
      Map("logs of file sinks" -> (sink.getBytes(UTF_8), Logs.sinkLog(_)))

  test("S13: all kinds of files are read") {
    assert(readers.size == 10 && readers.values.forall { case (sound, read) => read(sound).isRight })
  }

  for ((what, (sound, read)) <- readers.toSeq.sortBy(_._1)) {
    val count = Damage.Count / (1 + sound.length / 1000)
    test(s"S13: $count $what with other bytes are told to be wrong, or read") {
      // `verify` reports an exception with the name of the file, like other problems.
      def told(bytes: Array[Byte]) =
        try read(bytes)
        catch { case NonFatal(wrong) => Left(wrong.toString) }
      assert(Damage.refusedBytes(what, sound, count)(told(_).left.foreach(why => throw new DamagedStateError(why))) > 0)
    }
  }

  private def verified(files: Iterable[(String, Array[Byte])]): Verification = {
    val folder = Files.createTempDirectory("damaged")
    try {
      files.foreach { case (name, bytes) =>
        val file = folder.resolve(name)
        Files.createDirectories(file.getParent)
        Files.write(file, bytes)
      }
      new CheckpointVerifier(new Configuration, folder.toString, Nil, deep = false).verify()
    } finally Files.walk(folder).iterator.asScala.toSeq.reverse.foreach(Files.delete)
  }

  private val count = Damage.count(quick = 10, plain = 20, full = 2000)

  test(s"S13: $count checkpoints in which a file has other bytes") {
    assert(verified(files).ok)
    val names = files.keys.toIndexedSeq.sorted
    Damage.refused("checkpoints", files, count) { random =>
      val name = names(random.nextInt(names.size))
      files.updated(name, Damage.other(files(name), random))
    }(verified)
  }

  test("S13: the length of a log and the number of partitions are at most the recorded ones") {
    def saying(name: String => Boolean, text: String, other: String): Verification = {
      val changed = files.map { case (file, bytes) =>
        file -> (if (name(file)) new String(bytes, UTF_8).replaceAll(text, other).getBytes(UTF_8) else bytes)
      }
      assert(changed.exists { case (file, bytes) => !bytes.sameElements(files(file)) })
      verified(changed)
    }
    val most = Long.MaxValue.toString
    assert(!saying(_.startsWith("offsets/"), "\"logOffset\":\\d+", s"\"logOffset\":$most").ok)
    assert(!saying(_.contains("_metadata"), "\"numPartitions\":1", "\"numPartitions\":2147483647").ok)
    assert(!verified(files ++ files.collect {
      case (name, bytes) if name.startsWith("commits/") => s"commits/$most" -> bytes
    }).ok)
    val ahead =
      files.collect { case (name, bytes) if name.startsWith("sources/0/") => s"sources/0/$most.compact" -> bytes }
    assert(verified(files ++ ahead).findings.nonEmpty)
  }

  test("S13: a compact log has all entries before it, and a snapshot all its parts") {
    val (logs, others) = files.partition(_._1.startsWith("sources/0/"))
    val last           = logs.keys.maxBy(_.split('/').last.toLong)
    assert(logs.size > 1 && !verified(others + (s"$last.compact" -> logs(last))).ok)
    val (name, snapshot) = files.find(_._1.endsWith(".zip")).get
    val parts            = snapshot.length - 12
    assert(Snapshots.read(snapshot).isRight)
    assert(Snapshots.read(snapshot.updated(parts, (snapshot(parts) + 1).toByte)) == Left("it is truncated"), name)
  }
}
