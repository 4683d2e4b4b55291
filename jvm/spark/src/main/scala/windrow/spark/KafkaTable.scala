package windrow.spark

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import windrow.SpecProblem
import windrow.spark.output.ExactJson
import windrow.spark.output.LastPanes

/** A compacted topic of Kafka (`cleanup.policy=compact`) that holds the last pane of each window: a record's key is JSON of the
  * key columns and `window`, its value JSON of the pane, or null (a tombstone) where a window was withdrawn. A batch that comes
  * again writes the same records again, after which the topic says the same. Spark's connector must be in the session.
  *
  * @param servers
  *   `kafka.bootstrap.servers`
  * @param on
  *   as of [[Upsert]]
  * @param options
  *   what else Spark's Kafka sink takes, `kafka.…` included
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

  /** `key` and `value` of the records of a batch, one for each window. */
  private[spark] def records(panes: DataFrame): DataFrame = {
    val by   = asUpsert.columns(panes.schema)
    val last = LastPanes.ofEach(panes, by)
    last.select(
      ExactJson.of(last.schema, by).as("key"),
      when(!col("pane.is_retraction"), ExactJson.of(last.schema, last.columns.toSeq)).as("value"))
  }

  /** Options may be secret. */
  override def toString: String = s"KafkaTable($servers, $topic)"
}
