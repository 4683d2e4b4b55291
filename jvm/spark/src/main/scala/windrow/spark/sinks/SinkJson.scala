package windrow.spark.sinks

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.spark.sql.DataFrame
import scala.jdk.CollectionConverters._

/** The sinks of a query as Python writes them, `{"sinks": {"panes": {"sink": "files", "path": …}, "rejected": null},
  * "query": …, "checkpoint": …}`.
  *
  * @param query
  *   the id of the query, as its checkpoint stores it; empty before the start
  */
private[spark] final case class SinkJson(sinks: QuerySinks, query: String, checkpoint: String) {

  /** Returns a writer of the micro-batches of a run. */
  def writer: BatchWriter = new BatchWriter(sinks.of(query, checkpoint))
}

private[spark] object SinkJson {
  def read(json: String): SinkJson = {
    val all   = new ObjectMapper().readTree(json)
    val sinks = all.get("sinks").properties.asScala.toSeq.map(one => one.getKey -> one.getValue)
    val stated = sinks.filterNot(_._2.isNull).map { case (kind, of) =>
      KindSink(kind, sink(of), of.path("shown").asText)
    }
    SinkJson(QuerySinks(sinks.map(_._1), stated), all.path("query").asText, all.path("checkpoint").asText)
  }

  private def sink(of: JsonNode): Sink = {
    def text(name: String) = of.get(name).asText
    def on                 = of.get("on").asScala.map(_.asText).toSeq
    def options            = of.get("options").properties.asScala.map(one => one.getKey -> one.getValue.asText).toMap
    def maybe(name: String): Option[String] = Option(of.get(name)).filterNot(_.isNull).map(_.asText)
    text("sink") match {
      case "table"  => Table(text("name"))
      case "files"  => Files(text("path"), text("format"))
      case "upsert" => Upsert(text("table"), on, maybe("create"))
      case "kafka"  => KafkaTable(text("servers"), text("topic"), on, options)
      case "jdbc" =>
        Jdbc(text("url"), text("table"), of.get("upsert").asBoolean, on, options, maybe("deadLetter"))
      case "function" => CallerFunction
    }
  }

  /** A function in the caller's language. The caller itself passes these rows to it. */
  private object CallerFunction extends Sink {
    def write(rows: DataFrame, batch: Long): Unit =
      throw new UnsupportedOperationException("the caller passes these rows to its function")
  }
}
