package windrow.benchmarks

import java.io.{IOException, UncheckedIOException}
import java.nio.file.{Files, Path}
import java.util.Comparator
import scala.annotation.tailrec

private object Folders {

  /** Attempts to delete a folder. Several are needed because Spark may still write a snapshot into the folder of a
    * query that has ended.
    */
  private val Tries = 20

  def delete(folder: Path): Unit = delete(folder, Tries)

  @tailrec
  private def delete(folder: Path, tries: Int): Unit = if (Files.exists(folder)) {
    val wrong =
      try { once(folder); None }
      catch { case e @ (_: IOException | _: UncheckedIOException) => Some(e) }
    if (wrong.nonEmpty) {
      if (tries == 1) throw wrong.get
      Thread.sleep(100)
      delete(folder, tries - 1)
    }
  }

  private def once(folder: Path): Unit = {
    val all = Files.walk(folder)
    try all.sorted(Comparator.reverseOrder[Path]).forEach(path => Files.delete(path))
    finally all.close()
  }
}
