package windrow.spark.sinks

import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.windrow.SparkInside
import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import windrow.spark.jdbc.{JdbcAccess, JdbcAddress, JdbcWrite}
import windrow.spark.output.LastPanes
import windrow.{SpecError, SpecProblem}

/** A table of a database. The driver writes each micro-batch and its number in one transaction, so a repeated
  * micro-batch does not add rows. A missing table is created. `window` and `pane` become one column for each of their
  * fields (`window_start`, `pane_timing`); other structs, arrays and maps become JSON.
  * {{{
  * minutes.start("checkpoint", panes = Jdbc("jdbc:postgresql://host/db", "minutes", upsert = true))
  * }}}
  *
  * @param url
  *   the JDBC URL
  * @param table
  *   the name of the table
  * @param upsert
  *   whether the table keeps one row for each window of a key, its last valid pane; otherwise all rows are appended
  * @param on
  *   the columns that identify the row of a pane; see [[Upsert]]
  * @param options
  *   `user`, `password`, `driver`, and the other options of Spark's `jdbc`
  * @param deadLetter
  *   a table of the same database for rows that `table` cannot store; without one, such a row fails the query
  * @throws SpecError
  *   if `url` is not a JDBC URL
  */
final case class Jdbc(
    url: String,
    table: String,
    upsert: Boolean = false,
    override val on: Seq[String] = Nil,
    options: Map[String, String] = Map.empty,
    deadLetter: Option[String] = None) extends Sink {
  if (!url.startsWith("jdbc:") || table.startsWith("jdbc:"))
    throw SpecError("Jdbc(...)", Seq(SpecProblem("JDBC_ADDRESS_MISSING")))

  /** Writes the rows of a micro-batch in your own function, for example in [[Each]]. A micro-batch is recognized by the
    * query that runs it and by the table, so write each table at most once in a micro-batch.
    *
    * @throws SpecError
    *   if the thread does not run a micro-batch
    */
  def write(rows: DataFrame, batch: Long): Unit = {
    val running = SparkInside.microBatch(rows.sparkSession).getOrElse(
      throw SpecError("Jdbc(...).write", Seq(SpecProblem("JDBC_OUTSIDE_QUERY"))))
    of(running.query, "", "").write(rows, batch)
  }

  override private[spark] def of(query: String, checkpoint: String, kind: String): Sink =
    new Jdbc.Bound(
      this,
      Map(
        JdbcWrite.Query      -> query,
        JdbcWrite.Checkpoint -> checkpoint,
        JdbcWrite.Kind       -> kind).filter(_._2.nonEmpty))

  override private[spark] def keepsLast: Boolean = upsert

  /** Fails if the table cannot be written to. Creates nothing. */
  override private[spark] def verify(session: SparkSession, schema: StructType): Unit =
    save(session.createDataFrame(java.util.List.of[Row](), schema), Map(JdbcWrite.OnlyCheck -> "true"))

  /** Creates missing tables, and fails if a table cannot be written to. */
  override private[spark] def make(session: SparkSession, schema: StructType): Unit =
    save(session.createDataFrame(java.util.List.of[Row](), schema), Map.empty)

  private def save(rows: DataFrame, more: Map[String, String]): Unit = {
    val by   = Option.when(upsert)(JdbcWrite.On -> LastPanes.columns(rows.schema, on).mkString("\n"))
    val dead = deadLetter.map(JdbcWrite.DeadLetter -> _)
    JdbcAccess.write(options ++ Map("url" -> url, "dbtable" -> table) ++ by ++ dead ++ more, rows)
  }

  override def toString: String = s"Jdbc(${JdbcAddress.show(url)}, $table)"
}

object Jdbc {

  /** A sink that is bound to a query, its checkpoint and the kind of rows. */
  private[spark] final class Bound(sink: Jdbc, whose: Map[String, String]) extends Sink {
    override def takesEmpty: Boolean = false

    def write(rows: DataFrame, batch: Long): Unit = sink.save(rows, whose + (JdbcWrite.Batch -> batch.toString))
  }
}
