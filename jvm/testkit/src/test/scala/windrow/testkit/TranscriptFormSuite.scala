package windrow.testkit

import windrow.replay._

import com.fasterxml.jackson.databind.ObjectMapper
import java.nio.file.Files
import org.scalatest.funsuite.AnyFunSuite
import scala.jdk.CollectionConverters._

/** The form of transcripts: what is read is written again as the same JSON, and what is unknown is an error. */
class TranscriptFormSuite extends AnyFunSuite {
  private val mapper = new ObjectMapper()

  for (file <- TranscriptFiles.all) test(s"${file.getFileName}: every line is written again as it was read") {
    Files.readAllLines(file).asScala.filterNot(_.isBlank).foreach { line =>
      assert(mapper.readTree(TranscriptWriter.write(TranscriptReader.read(line))) == mapper.readTree(line))
    }
  }
}
