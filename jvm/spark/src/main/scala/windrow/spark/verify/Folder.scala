package windrow.spark.verify

import java.io.FileNotFoundException
import java.io.InputStream
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.ChecksumFileSystem
import org.apache.hadoop.fs.FileStatus
import org.apache.hadoop.fs.FileSystem
import org.apache.hadoop.fs.Path
import scala.util.Using

/** A file as it was listed.
  *
  * @param name
  *   its path below the folder
  */
private[verify] final case class Seen(name: String, path: Path, size: Long) {

  /** With a slash at its end; empty for the uppermost. */
  def folder: String = name.dropRight(base.length)
  def base: String   = name.drop(name.lastIndexOf('/') + 1)
}

/** All files of a folder as they were when it was listed; those with checksums show, and nothing is checked by the way. */
private[verify] final class Folder private (val system: FileSystem, val root: Path, listed: Map[String, Seen]) {
  def all: Seq[Seen]                  = listed.values.toSeq
  def get(name: String): Option[Seen] = listed.get(name)
  def has(name: String): Boolean      = listed.contains(name)

  /** Files right in a folder, named with a slash at its end. */
  def in(folder: String): Seq[Seen] = byFolder.getOrElse(folder, Nil)

  private lazy val byFolder: Map[String, Seq[Seen]] = all.groupBy(_.folder)

  def read[T](seen: Seen)(use: InputStream => T): T = Using.resource(system.open(seen.path))(use)
}

private[verify] object Folder {

  /** A folder that is not there has no files. */
  def list(settings: Configuration, path: String): Folder = {
    val plain = new Path(path)
    val system = plain.getFileSystem(settings) match {
      case sums: ChecksumFileSystem => sums.getRawFileSystem
      case other                    => other
    }
    val root = system.makeQualified(plain)
    new Folder(system, root, found(system, root, "").map(seen => seen.name -> seen).toMap)
  }

  private def found(system: FileSystem, folder: Path, above: String): Seq[Seen] =
    children(system, folder).flatMap { status =>
      val name = above + status.getPath.getName
      if (status.isDirectory) found(system, status.getPath, s"$name/")
      else Seq(Seen(name, status.getPath, status.getLen))
    }

  /** One that is deleted meanwhile is empty. */
  private def children(system: FileSystem, folder: Path): Seq[FileStatus] =
    try system.listStatus(folder).toSeq
    catch { case _: FileNotFoundException => Nil }
}
