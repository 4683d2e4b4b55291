package windrow.spark

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.Row
import org.apache.spark.sql.SaveMode
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.types.StructType
import windrow.SpecProblem
import windrow.spark.jdbc.JdbcWrite

/** A table of a database: each batch and its number go into it in one transaction, so that a batch that comes again changes
  * nothing. The table is made if it is not there; `window` and `pane` are a column for each of their fields
  * (`window_start`, `pane_timing`), other structs, arrays and maps JSON. The driver writes.
  *
  * @param upsert
  *   of panes, one row for each window of a key, the last pane that holds; else all rows are added
  * @param on
  *   as of [[Upsert]]
  * @param options
  *   `user`, `password`, `driver` and what else Spark's `jdbc` takes
  */
final case class Jdbc(
    url: String,
    table: String,
    upsert: Boolean = false,
    on: Seq[String] = Nil,
    options: Map[String, String] = Map.empty) extends Sink {

  def write(rows: DataFrame, batch: Long): Unit = of("", "", "").write(rows, batch)

  override private[spark] def of(query: String, checkpoint: String, kind: String): Sink =
    new Jdbc.Bound(
      this,
      Map(
        JdbcWrite.Query      -> query,
        JdbcWrite.Checkpoint -> checkpoint,
        JdbcWrite.Sink       -> s"$kind $table").filter(_._2.nonEmpty))

  private[spark] def asUpsert: Option[Upsert] = Option.when(upsert)(Upsert(table, on))

  override private[spark] def unclear(condition: String): Option[SpecProblem] = asUpsert.flatMap(_.unclear(condition))

  /** Makes the tables, or refuses what cannot be written to. */
  override private[spark] def check(session: SparkSession, schema: StructType): Unit =
    save(session.createDataFrame(java.util.List.of[Row](), schema), Map.empty)

  private def save(rows: DataFrame, more: Map[String, String]): Unit = {
    val by =
      asUpsert.fold(Map.empty[String, String])(one => Map(JdbcWrite.On -> one.columns(rows.schema).mkString("\n")))
    rows.write.format("windrow.spark.jdbc").mode(SaveMode.Append)
      .options(options ++ Map("url" -> url, "dbtable" -> table) ++ by ++ more).save()
  }

  override def toString: String = s"Jdbc(${url.takeWhile(c => c != '?' && c != ';')}, $table)"
}

object Jdbc {

  /** Whose batches they are. */
  private[spark] final class Bound(sink: Jdbc, whose: Map[String, String]) extends Sink {
    override def takesEmpty: Boolean = false

    def write(rows: DataFrame, batch: Long): Unit = sink.save(
      sink.asUpsert.fold(rows)(one => Upsert.lastOfEach(rows, one.columns(rows.schema))),
      whose + (JdbcWrite.Batch -> batch.toString))
  }
}
