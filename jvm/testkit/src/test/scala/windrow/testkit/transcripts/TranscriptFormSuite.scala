package windrow.testkit.transcripts

import com.fasterxml.jackson.databind.ObjectMapper
import java.nio.file.Files
import org.scalatest.funsuite.AnyFunSuite
import scala.jdk.CollectionConverters._
import windrow.replay._

/** Checks the form of transcripts: each is written as the same JSON from which it was read, and unknown fields are
  * errors.
  */
class TranscriptFormSuite extends AnyFunSuite {
  private val mapper = new ObjectMapper()

  for (file <- TranscriptFiles.all) test(s"${file.getFileName}: every line is written again as it was read") {
    Files.readAllLines(file).asScala.filterNot(_.isBlank).foreach { line =>
      assert(mapper.readTree(TranscriptWriter.write(TranscriptReader.read(line))) == mapper.readTree(line))
    }
  }
}
