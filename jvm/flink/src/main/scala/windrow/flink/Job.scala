package windrow.flink

import com.fasterxml.jackson.databind.ObjectMapper
import scala.jdk.CollectionConverters._

/** A benchmark job, see windrow.benchmarks.FlinkJob for its fields. Times are in microseconds. Flink interprets them as
  * milliseconds, because it does not support a smaller unit.
  */
final case class Job(
    task: String,
    numbers: Map[String, Long],
    state: String,
    files: Seq[String],
    delay: Long,
    dropped: Long)

object Job {
  private val mapper = new ObjectMapper

  def read(line: String): Job = {
    val job = mapper.readTree(line)
    Job(
      job.get("task").asText,
      job.get("numbers").properties.asScala.map(each => each.getKey -> each.getValue.asLong).toMap,
      job.get("state").asText,
      job.get("files").elements.asScala.map(_.asText).toSeq,
      job.get("delay").asLong,
      job.get("dropped").asLong)
  }

  def error(why: String): String = mapper.writeValueAsString(mapper.createObjectNode().put("error", why))
}
