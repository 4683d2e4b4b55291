package windrow.spark.running

import java.net.URI
import java.nio.file.attribute.PosixFilePermissions
import java.nio.file.{Files, Path, Paths}
import java.util.EnumSet
import jdk.jfr.Recording
import jdk.jfr.consumer.RecordingFile
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.fs.{
  CreateFlag, DelegateToFileSystem, FSDataOutputStream, FileAlreadyExistsException, FileSystem, Options,
  Path => HadoopPath, RawLocalFileSystem
}
import org.apache.hadoop.util.Progressable
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager
import org.scalatest.funsuite.AnyFunSuite
import scala.jdk.CollectionConverters._
import windrow.spark.SparkSuite

/** Runs with Spark 4.1 and later. Spark 4.0 has the same class in another package, which Windrow's copy extends. */
class CheckpointFilesSuite extends AnyFunSuite {
  private val conf = new Configuration

  private def folder: Path = Paths.get(SparkSuite.folder())

  private def files(folder: Path): CheckpointFileManager =
    new CheckpointFiles(new HadoopPath(folder.toUri), conf)

  private def write(files: CheckpointFileManager, file: Path, text: String, overwrite: Boolean = false): Unit = {
    val out = files.createAtomic(new HadoopPath(file.toUri), overwrite)
    out.write(text.getBytes)
    out.close()
  }

  /** Returns the programs that Hadoop starts. */
  private def programs(code: => Unit): Seq[String] = {
    val recording = new Recording
    val found     = Files.createTempFile("windrow", ".jfr")
    try {
      recording.enable("jdk.ProcessStart")
      recording.start()
      code
      recording.dump(found)
      RecordingFile.readAllEvents(found).asScala.toSeq.map(_.getString("command"))
        .filter(command => command.startsWith("chmod") || command.startsWith("readlink"))
    } finally {
      recording.close()
      Files.delete(found)
    }
  }

  test("a file is written, replaced and taken away without a process, which Spark's own way needs") {
    def all(files: CheckpointFileManager, folder: Path): Unit = {
      files.mkdirs(new HadoopPath(folder.resolve("a/b").toUri))
      write(files, folder.resolve("a/b/1"), "one")
      write(files, folder.resolve("a/b/1"), "two", overwrite = true)
      files.delete(new HadoopPath(folder.resolve("a/b/1").toUri))
    }
    val (ours, sparks) = (folder, folder)
    assert(programs(all(files(ours), ours)).isEmpty)
    assert(programs(all(CheckpointFileManager.create(new HadoopPath(sparks.toUri), conf), sparks)).nonEmpty)
  }

  test("written files equal Spark's: bytes, checksum files, permissions") {
    val (ours, sparks) = (folder, folder)
    write(files(ours), ours.resolve("1"), "one")
    write(CheckpointFileManager.create(new HadoopPath(sparks.toUri), conf), sparks.resolve("1"), "one")
    def seen(folder: Path): Map[String, (String, String)] = folder.toFile.listFiles.toSeq.map(_.toPath).map(file =>
      file.getFileName.toString -> (
        Files.readAllBytes(file).toSeq.toString,
        PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))).toMap
    assert(seen(ours).keySet == Set("1", ".1.crc"))
    assert(seen(ours) == seen(sparks))
    assert(files(ours).list(new HadoopPath(ours.toUri)).map(_.getPath.getName).toSeq == Seq("1"))
    assert(files(ours).isLocal)
  }

  test("one of two writers of a file fails, and an abandoned file does not exist") {
    val place = folder
    write(files(place), place.resolve("1"), "one")
    intercept[FileAlreadyExistsException](write(files(place), place.resolve("1"), "two"))
    assert(Files.readString(place.resolve("1")) == "one")
    val out = files(place).createAtomic(new HadoopPath(place.resolve("2").toUri), overwriteIfPossible = false)
    out.write(7)
    out.cancel()
    assert(!Files.exists(place.resolve("2")))
  }

  test("a path that does not say where it begins is where Hadoop has it") {
    val (place, hadoops) = (folder, FileSystem.getLocal(conf))
    val before           = hadoops.getWorkingDirectory
    hadoops.setWorkingDirectory(new HadoopPath(place.toUri))
    try {
      val found = new CheckpointFiles(new HadoopPath("checkpoint"), conf).createCheckpointDirectory()
      assert(found == hadoops.makeQualified(new HadoopPath("checkpoint")))
      assert(Files.isDirectory(place.resolve("checkpoint")))
    } finally hadoops.setWorkingDirectory(before)
  }

  test("bytes that changed on the disk are not read") {
    val place = folder
    write(files(place), place.resolve("1"), "one")
    Files.write(place.resolve("1"), "two".getBytes)
    val in = files(place).open(new HadoopPath(place.resolve("1").toUri))
    intercept[org.apache.hadoop.fs.ChecksumException](in.readAllBytes())
  }

  test("another disk has its files written as Spark would") {
    val other = new Configuration
    other.setClass("fs.other.impl", classOf[OtherDisk], classOf[RawLocalFileSystem])
    other.set(CheckpointSetting.Name, CheckpointSetting.Class)
    val place = folder
    val path  = new HadoopPath(s"other://$place")
    val files = new CheckpointFiles(path, other)
    val out   = files.createAtomic(new HadoopPath(path, "1"), overwriteIfPossible = false)
    out.write(7)
    out.close()
    assert(files.exists(new HadoopPath(path, "1")))
    assert(place.toFile.list.toSeq == Seq("1")) // no checksums, because it is not a local disk
  }

  test("a class of the user's for the local disk has its way") {
    val own = new Configuration
    own.set("fs.AbstractFileSystem.file.impl", classOf[WatchedDisk].getName)
    own.set(CheckpointSetting.Name, CheckpointSetting.Class)
    val place = folder
    write(new CheckpointFiles(new HadoopPath(place.toUri), own), place.resolve("1"), "one")
    assert(WatchedDisk.created > 0 && Files.readString(place.resolve("1")) == "one")
  }
}

/** A user-defined local disk that counts the files that it creates. Hadoop creates it by its class name. */
final class WatchedDisk(uri: URI, conf: Configuration)
    extends DelegateToFileSystem(uri, new RawLocalFileSystem, conf, "file", false) {
  override def getUriDefaultPort: Int = -1

  override def createInternal(
      file: HadoopPath,
      flags: EnumSet[CreateFlag],
      permission: FsPermission,
      buffer: Int,
      replication: Short,
      block: Long,
      progress: Progressable,
      checksums: Options.ChecksumOpt,
      parent: Boolean): FSDataOutputStream = {
    WatchedDisk.created += 1
    super.createInternal(file, flags, permission, buffer, replication, block, progress, checksums, parent)
  }
}

object WatchedDisk {
  @volatile var created = 0
}

/** A file system with its own scheme. */
final class OtherDisk extends RawLocalFileSystem {
  override def getUri: URI = URI.create("other:///")
}
