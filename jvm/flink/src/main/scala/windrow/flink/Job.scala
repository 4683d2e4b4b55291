package windrow.flink

import com.fasterxml.jackson.databind.ObjectMapper
import scala.jdk.CollectionConverters._

/** What is to be done: windrow.benchmarks.FlinkJob, where its fields are explained. Times are microseconds; Flink, to which
  * they are but numbers, takes them for milliseconds, for it has no smaller unit.
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
