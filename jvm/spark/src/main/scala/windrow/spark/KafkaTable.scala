package windrow.spark

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import windrow.SpecProblem
import windrow.spark.output.{ExactJson, LastPanes}

/** A compacted Kafka topic (`cleanup.policy=compact`) that contains the last pane of each window. The key of a record
  * is JSON of the key columns and `window`. Its value is JSON of the pane, or null (a tombstone) if the window was
  * withdrawn. A repeated micro-batch writes the same records again, which does not change the compacted topic. Spark's
  * Kafka connector must be in the session.
  * {{{
  * minutes.start("checkpoint", panes = KafkaTable("localhost:9092", "minutes"))
  * }}}
  *
  * @param servers
  *   `kafka.bootstrap.servers`
  * @param topic
  *   the name of the topic
  * @param on
  *   the columns that identify the record of a pane; see [[Upsert]]
  * @param options
  *   other options of Spark's Kafka sink, including `kafka.…`
  */
final case class KafkaTable(
    servers: String,
    topic: String,
    on: Seq[String] = Nil,
    options: Map[String, String] = Map.empty) extends Sink {

  private[spark] def asUpsert: Upsert = Upsert(topic, on)

  override private[spark] def unclear(condition: String): Option[SpecProblem] = asUpsert.unclear(condition)

  def write(panes: DataFrame, batch: Long): Unit = records(panes).write.format("kafka")
    .options(Map("kafka.bootstrap.servers" -> servers, "topic" -> topic) ++ options).save()

  /** Returns `key` and `value` of the records of a micro-batch, one for each window. */
  private[spark] def records(panes: DataFrame): DataFrame = {
    val by   = asUpsert.columns(panes.schema)
    val last = LastPanes.ofEach(panes, by)
    last.select(
      ExactJson.of(last.schema, by).as("key"),
      when(!col("pane.is_retraction"), ExactJson.of(last.schema, last.columns.toSeq)).as("value"))
  }

  /** Omits the options, which may contain secrets. */
  override def toString: String = s"KafkaTable($servers, $topic)"
}
