package windrow.spark.verify

import java.io.{ByteArrayInputStream, IOException}
import java.nio.file.Files
import java.nio.{ByteBuffer, ByteOrder}
import java.util.zip.ZipInputStream
import org.apache.hadoop.fs.{Path, RawLocalFileSystem}
import org.rocksdb.{Options, RocksDB, RocksDBException, SstFileReader}
import scala.jdk.CollectionConverters._
import scala.util.Using

/** A snapshot of a state store: everything that RocksDB needs except its tables, and the names of these.
  *
  * @param tables
  *   names of tables in the folder of the store, and their sizes
  */
private[verify] final case class Snapshot(tables: Seq[(String, Long)])

private[verify] object Snapshots {
  private val DirectoryEnd       = 0x06054b50
  private val DirectoryEndLength = 22

  /** Parses a snapshot, which is a ZIP file. Each part has a checksum, and the end record contains the number of parts
    * and the place of the directory, so a truncated file is detected.
    */
  def read(bytes: Array[Byte]): Either[String, Snapshot] =
    try for {
      parts    <- Right(partsOf(bytes))
      _        <- whole(bytes, parts.size)
      _        <- Either.cond(parts.contains("CURRENT"), (), "'CURRENT' is missing in it")
      metadata <- parts.get("metadata").toRight("'metadata' is missing in it")
      snapshot <- tables(metadata)
    } yield snapshot
    catch {
      case wrong: IOException              => Left(s"it cannot be read: ${wrong.getMessage}")
      case wrong: IllegalArgumentException => Left(s"it cannot be read: ${wrong.getMessage}")
    }

  private def partsOf(bytes: Array[Byte]): Map[String, Array[Byte]] =
    Using.resource(new ZipInputStream(new ByteArrayInputStream(bytes)))(zip =>
      Iterator.continually(zip.getNextEntry).takeWhile(_ != null).map(_.getName -> zip.readAllBytes()).toMap)

  private def whole(bytes: Array[Byte], parts: Int): Either[String, Unit] = {
    val at = bytes.length - DirectoryEndLength
    val fits = at >= 0 && {
      val end = ByteBuffer.wrap(bytes, at, DirectoryEndLength).slice().order(ByteOrder.LITTLE_ENDIAN)
      end.getInt(0) == DirectoryEnd && end.getShort(10) == parts && end.getInt(12) + end.getInt(16) == at
    }
    Either.cond(fits, (), "it is truncated")
  }

  private def tables(metadata: Array[Byte]): Either[String, Snapshot] = {
    val content = StrictJson.lines(metadata).filter(_.head == "v1").flatMap(_.lift(1)).flatMap(StrictJson.read)
    content.toRight("its 'metadata' is not JSON").map { node =>
      val tables = node.path("sstFiles").elements.asScala.map("SSTs/" -> _) ++
        node.path("logFiles").elements.asScala.map("logs/" -> _)
      Snapshot(tables.map { case (folder, one) =>
        val name = if (one.has("dfsSstFileName")) "dfsSstFileName" else "dfsLogFileName"
        (folder + one.path(name).asText) -> one.path("sizeBytes").asLong
      }.toSeq)
    }
  }

  /** Checks a table with RocksDB, which verifies its checksums. RocksDB reads only local files. */
  def wrongTable(folder: Folder, seen: FileEntry): Option[String] = folder.system match {
    case local: RawLocalFileSystem => wrongTable(local.pathToFile(seen.path).getPath)
    case _ =>
      val copy = Files.createTempFile("windrow", ".sst")
      try {
        folder.system.copyToLocalFile(false, seen.path, new Path(copy.toUri), true)
        wrongTable(copy.toString)
      } finally Files.delete(copy)
  }

  private def wrongTable(path: String): Option[String] = {
    RocksDB.loadLibrary()
    try Using.Manager { use =>
        val reader = use(new SstFileReader(use(new Options)))
        reader.open(path)
        reader.verifyChecksum()
        None
      }.get
    catch { case wrong: RocksDBException => Some(s"RocksDB reports: ${wrong.getMessage}") }
  }
}
