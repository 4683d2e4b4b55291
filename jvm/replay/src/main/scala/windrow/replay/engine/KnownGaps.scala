package windrow.replay

import com.fasterxml.jackson.databind.ObjectMapper
import java.nio.file.{Files, Path}
import scala.jdk.CollectionConverters._

/** Cases that are known to fail, each with its reason and the engines that fail it. */
final class KnownGaps private (gaps: Map[(String, String), String]) {
  def reason(id: String, engine: String): Option[String] = gaps.get((id, engine))
}

object KnownGaps {
  val FileName = "known-gaps.json"

  /** Reads `known-gaps.json` in the folder of a transcript, if it exists.
    *
    * {{{ {"<id>": {"engines": ["core"], "reason": "<why>"}} }}}
    */
  def beside(transcript: Path): KnownGaps = {
    val file = transcript.resolveSibling(FileName)
    if (!Files.exists(file)) new KnownGaps(Map.empty)
    else
      new KnownGaps(new ObjectMapper().readTree(file.toFile).properties.asScala.flatMap { entry =>
        val reason = entry.getValue.path("reason").asText
        if (reason.isBlank) throw new TranscriptError(s"$FileName: the reason of ${entry.getKey} is missing")
        entry.getValue.path("engines").elements.asScala.map(engine => (entry.getKey, engine.asText) -> reason)
      }.toMap)
  }
}
