package windrow.spark.sinks

import java.nio.charset.StandardCharsets.UTF_8
import java.util.{HexFormat, UUID}
import org.apache.spark.sql.catalyst.util.QuotingUtils
import org.apache.spark.sql.execution.datasources.DataSource
import org.apache.spark.sql.functions._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{AnalysisException, CreateTableWriter, DataFrame, Row, SparkSession}
import scala.util.Try
import windrow._
import windrow.spark.output.LastPanes

/** A table that supports `MERGE` (Delta, Iceberg) and has the columns of the panes. It keeps one row for each window of
  * a key: its last valid pane. A retraction without a following pane deletes the row.
  * {{{
  * minutes.start("checkpoint", panes = Upsert("minutes", create = Some("delta")))
  * }}}
  *
  * @param table
  *   the name of the table
  * @param on
  *   the columns that identify the row of a pane. The default is the key and `window`; for `Over`, the key and
  *   `message`. If several windows share a row, the row contains the newest window: the one with the greatest end, then
  *   with the greatest start.
  * @param create
  *   the format, `delta` or `iceberg`, in which `start` creates a missing table; an empty string uses the format of the
  *   catalog. By default the table must exist.
  * @throws SpecError
  *   if the format is unknown
  */
final case class Upsert(table: String, override val on: Seq[String] = Nil, create: Option[String] = None) extends Sink {
  create.filterNot(Upsert.Formats).foreach(format =>
    throw SpecError(s"Upsert($table)", Seq(SpecProblem("UPSERT_FORMAT_UNKNOWN", "format" -> format))))

  /** Merges the panes into the table. A repeated micro-batch changes nothing. */
  def write(rows: DataFrame, batch: Long): Unit = {
    val by    = columns(rows.schema)
    val found = by.map(name => s"${Upsert.named("held", name)} <=> ${Upsert.named("came", name)}").mkString(" AND ")
    val came  = s"windrow_${UUID.randomUUID.toString.replace("-", "")}"
    winners(rows, by).createTempView(came)
    try {
      rows.sparkSession.sql(
        s"MERGE INTO ${Upsert.identifier(table)} AS held USING $came AS came ON $found " +
          "WHEN MATCHED AND came.pane.is_retraction THEN DELETE " +
          "WHEN MATCHED THEN UPDATE SET * " +
          "WHEN NOT MATCHED AND NOT came.pane.is_retraction THEN INSERT *")
      ()
    } finally { rows.sparkSession.catalog.dropTempView(came); () }
  }

  /** Selects the panes that replace rows, and the retractions of rows. */
  private[spark] def winners(panes: DataFrame, by: Seq[String]): DataFrame =
    if (LastPanes.isOfOneWindow(panes.schema, by)) LastPanes.ofEach(panes, by)
    else {
      val held = panes.sparkSession.table(table).select(
        by.zipWithIndex.map { case (name, i) => col(QuotingUtils.quoteIdentifier(name)).as(s"__windrow_on$i") } :+
          LastPanes.place(panes.schema).as(Upsert.Held): _*)
      val newest = LastPanes.ofNewest(panes, by)
      val same = by.zipWithIndex.map { case (name, i) =>
        newest(QuotingUtils.quoteIdentifier(name)) <=> held(s"__windrow_on$i")
      }.reduce(_ && _)
      val place    = LastPanes.place(panes.schema)
      val replaced = array_contains(col(LastPanes.Withdrawn), right(col(Upsert.Held), lit(LastPanes.MarkLength)))
      newest.join(held, same, "left")
        .where(col(Upsert.Held).isNull || replaced || (!col("pane.is_retraction") && place >= col(Upsert.Held)))
        .select(panes.columns.toSeq.map(name => newest(QuotingUtils.quoteIdentifier(name))): _*)
    }

  private[spark] def columns(panes: StructType): Seq[String] = LastPanes.columns(panes, on)

  override private[spark] def keepsLast: Boolean = true

  /** Finds problems of the table by merging no panes. Creates nothing. */
  override private[spark] def verify(session: SparkSession, panes: StructType): Unit =
    missing(session).fold(tried(write(none(session, panes), 0)))(_ =>
      create.filter(_.nonEmpty).flatMap(format => tried { DataSource.lookupDataSource(format, SQLConf.get); () }))
      .foreach(fail)

  override private[spark] def missing(session: SparkSession): Option[String] =
    create.filterNot(_ => exists(session)).map(_ => table)

  override private[spark] def make(session: SparkSession, panes: StructType): Unit =
    missing(session).foreach { _ =>
      def create(): Unit = {
        val writer = none(session, panes).writeTo(table)
        this.create.filter(_.nonEmpty).fold[CreateTableWriter[Row]](writer)(writer.using).create()
      }
      tried(create()).orElse(tried(write(none(session, panes), 0))).foreach { wrong =>
        Try(Upsert.drop(session, table))
        fail(wrong)
      }
    }

  private def fail(wrong: SpecProblem): Nothing = throw SpecError("start(...)", Seq(wrong))

  private def exists(session: SparkSession): Boolean = Try(session.catalog.tableExists(table)).getOrElse(false)

  private def none(session: SparkSession, panes: StructType) = session.createDataFrame(java.util.List.of[Row](), panes)

  private def tried(work: => Unit): Option[SpecProblem] = {
    def refused(error: Throwable, condition: String) = Some(SpecProblem(
      if (Upsert.NoTarget(condition)) "TABLE_NOT_MERGEABLE" else "TABLE_DIFFERS",
      "table" -> table,
      "why"   -> error.getMessage.linesIterator.find(_.nonEmpty).getOrElse("")))
    try {
      work
      None
    } catch {
      case error: AnalysisException if error.getCondition == Upsert.NoFormat => Some(formatMissing)
      case _: ClassNotFoundException                                         => Some(formatMissing)
      case error: AnalysisException                                          => refused(error, error.getCondition)
      case error: UnsupportedOperationException => refused(error, "UNSUPPORTED_FEATURE.TABLE_OPERATION")
    }
  }

  private def formatMissing = SpecProblem("UPSERT_FORMAT_MISSING", "table" -> table, "format" -> create.getOrElse(""))
}

object Upsert {

  /** Drops a table that `make` has created. */
  private[spark] def drop(session: SparkSession, table: String): Unit = {
    session.sql(s"DROP TABLE IF EXISTS ${identifier(table)}")
    ()
  }

  private val Formats  = Set("delta", "iceberg", "")
  private val Held     = "__windrow_held"
  private val NoFormat = "DATA_SOURCE_NOT_FOUND"
  private val NoTarget = Set("UNSUPPORTED_FEATURE.TABLE_OPERATION", "TABLE_OR_VIEW_NOT_FOUND")

  /** Encodes a name for SQL. The hexadecimal form keeps user text out of the statement, where it could be more than a
    * name, or be a `${...}` substitution.
    */
  private[sinks] def identifier(name: String): String =
    s"IDENTIFIER(CAST(X'${HexFormat.of.formatHex(name.getBytes(UTF_8))}' AS STRING))"

  private def named(table: String, column: String): String =
    identifier(s"$table.${QuotingUtils.quoteIdentifier(column)}")
}
