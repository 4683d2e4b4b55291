package windrow.benchmarks

import java.nio.file.Files
import java.nio.file.Path
import java.util.Comparator

private object Folders {
  def delete(folder: Path): Unit = if (Files.exists(folder)) {
    val all = Files.walk(folder)
    try all.sorted(Comparator.reverseOrder[Path]).forEach(path => Files.delete(path))
    finally all.close()
  }
}
