package windrow.replay

import java.nio.file.{Files, Path, Paths}
import scala.jdk.CollectionConverters._

/** The transcripts of the repository. */
object TranscriptFiles {

  /** The folder of transcripts, found from the current folder upwards, because tests may run in the folder of the build
    * or of a module.
    */
  val folder: Path =
    Iterator.iterate(Paths.get("").toAbsolutePath)(_.getParent).takeWhile(_ != null)
      .map(_.resolve("tests").resolve("transcripts")).find(Files.isDirectory(_))
      .getOrElse(throw new IllegalStateException("the folder tests/transcripts does not exist here or above"))

  val all: Seq[Path] = {
    val files = Files.list(folder)
    try files.iterator.asScala.filter(_.toString.endsWith(".jsonl")).toSeq.sorted
    finally files.close()
  }

  def cases(file: Path): Seq[TranscriptCase] =
    TranscriptReader.readFile(file).map(_.fold(error => throw error, identity))
}
