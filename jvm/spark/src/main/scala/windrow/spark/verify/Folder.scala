package windrow.spark.verify

import java.io.{FileNotFoundException, InputStream}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{ChecksumFileSystem, FileStatus, FileSystem, Path}
import scala.util.Using

/** A listed file.
  *
  * @param name
  *   its path, relative to the folder
  */
private[verify] final case class FileEntry(name: String, path: Path, size: Long) {

  /** The path of its folder with a trailing slash; empty for the root. */
  def folder: String = name.dropRight(base.length)
  def base: String   = name.drop(name.lastIndexOf('/') + 1)
}

/** All files of a folder at the time of the listing. Includes checksum files, and reading a file does not check its
  * checksums.
  */
private[verify] final class Folder private (val system: FileSystem, val root: Path, listed: Map[String, FileEntry]) {
  def all: Seq[FileEntry]                  = listed.values.toSeq
  def get(name: String): Option[FileEntry] = listed.get(name)
  def has(name: String): Boolean           = listed.contains(name)

  /** Returns the files directly in a folder, whose name has a trailing slash. */
  def in(folder: String): Seq[FileEntry] = byFolder.getOrElse(folder, Nil)

  private lazy val byFolder: Map[String, Seq[FileEntry]] = all.groupBy(_.folder)

  def read[T](seen: FileEntry)(use: InputStream => T): T = Using.resource(system.open(seen.path))(use)
}

private[verify] object Folder {

  /** Lists a folder. A missing folder counts as empty. */
  def list(settings: Configuration, path: String): Folder = {
    val plain = new Path(path)
    val system = Storage.of(settings, path) match {
      case sums: ChecksumFileSystem => sums.getRawFileSystem
      case other                    => other
    }
    val root = system.makeQualified(plain)
    new Folder(system, root, found(system, root, "").map(seen => seen.name -> seen).toMap)
  }

  private def found(system: FileSystem, folder: Path, above: String): Seq[FileEntry] =
    children(system, folder).flatMap { status =>
      val name = above + status.getPath.getName
      if (status.isDirectory) found(system, status.getPath, s"$name/")
      else Seq(FileEntry(name, status.getPath, status.getLen))
    }

  /** Returns the children of a folder, which may have been deleted in the meantime. */
  private def children(system: FileSystem, folder: Path): Seq[FileStatus] =
    try system.listStatus(folder).toSeq
    catch { case _: FileNotFoundException => Nil }
}
