package windrow.testkit.transcripts

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Files
import org.scalatest.funsuite.AnyFunSuite
import scala.jdk.CollectionConverters._
import windrow.CheckpointError
import windrow.core.state.Damage
import windrow.replay._

/** Reads damaged lines of transcripts (SEMANTICS S1): each must be read, or be rejected with a message. */
class TranscriptDamageSuite extends AnyFunSuite {
  private val lines =
    TranscriptFiles.all.flatMap(Files.readAllLines(_).asScala).filter(line => !line.isBlank && line.length < 600)
      .map(_.getBytes(UTF_8)).toIndexedSeq

  private val count = Damage.count(quick = 1000, plain = 3000, full = 1000000)

  test(s"$count lines with other bytes") {
    def read(line: Array[Byte]): Unit =
      try TranscriptReader.read(new String(line, UTF_8)): Unit
      catch { case wrong: TranscriptError => throw new CheckpointError(wrong.getMessage) }
    val refused = Damage.refused("transcripts", lines.head, count) { random =>
      Damage.other(lines(random.nextInt(lines.size)), random)
    }(read)
    assert(refused > count / 10 && refused < count)
  }
}
