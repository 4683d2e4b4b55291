package windrow.spark

import java.nio.charset.StandardCharsets.UTF_8
import java.util.HexFormat
import java.util.UUID
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.Row
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.util.QuotingUtils
import org.apache.spark.sql.execution.datasources.DataSource
import org.apache.spark.sql.functions._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType
import scala.util.Try
import windrow._
import windrow.spark.output.LastPanes

/** A table that Spark can `MERGE` into (Delta, Iceberg), with the columns of the panes: one row for each window of a key, the
  * last pane that holds. A retraction that no pane follows deletes.
  *
  * @param on
  *   the columns by which a pane finds the row that it takes the place of; none: the key and `window`, of `Over` the key and
  *   `message`. Where they leave out a part of these the newest window has the row: that of the greatest end, then start
  * @param create
  *   the format, `delta` or `iceberg`, in which `start` makes a table that is not there; None: it must be there
  */
final case class Upsert(table: String, on: Seq[String] = Nil, create: Option[String] = None) extends Sink {
  create.filterNot(Upsert.Formats).foreach(format =>
    throw SpecError(s"Upsert($table)", Seq(SpecProblem("UPSERT_FORMAT_UNKNOWN", "format" -> format))))

  /** Once or twice makes no difference. */
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

  /** The panes that take a row's place, and retractions of rows. */
  private def winners(panes: DataFrame, by: Seq[String]): DataFrame =
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

  /** Why panes that hold only what is new cannot go into it. */
  private[spark] def ofParts: SpecProblem =
    SpecProblem("UPSERT_OF_PARTS", "sink" -> this)

  private[spark] def columns(panes: StructType): Seq[String] = if (on.nonEmpty) on else LastPanes.identity(panes)

  /** @param condition
    *   under which the key and window of panes do not say which row is theirs; `on` does. Windows that begin again at 0 have no
    *   newest one, so they are not told apart without `window`
    */
  override private[spark] def unclear(condition: String): Option[SpecProblem] =
    Option.when(on.isEmpty || condition.endsWith("LIMITS") && !on.contains("window"))(SpecProblem(
      condition,
      "sink" -> this))

  /** Why windows cannot share a row where the row that is there cannot be asked for its window. */
  private[spark] def competing(panes: StructType): Option[SpecProblem] =
    Option.when(lacking(panes).isEmpty && !LastPanes.isOfOneWindow(panes, columns(panes)))(
      SpecProblem("UPSERT_ROW_UNCLEAR.TOPIC", "sink" -> this))

  /** What is wrong with the table, found by merging no pane; nothing is made. */
  private[spark] def problems(session: SparkSession, panes: StructType): Seq[SpecProblem] = {
    val unknown = lacking(panes)
    if (unknown.nonEmpty) unknown
    else create.filterNot(_ => exists(session)).fold(tried(write(none(session, panes), 0)))(format =>
      tried { DataSource.lookupDataSource(format, SQLConf.get); () }).toSeq
  }

  /** Makes the table if it is not there. */
  override private[spark] def check(session: SparkSession, panes: StructType): Unit =
    create.filterNot(_ => exists(session)).foreach { format =>
      def make(): Unit = none(session, panes).writeTo(table).using(format).create()
      tried(make()).orElse(tried(write(none(session, panes), 0))).foreach { wrong =>
        Try(session.sql(s"DROP TABLE IF EXISTS ${Upsert.identifier(table)}"))
        throw SpecError("start(...)", Seq(wrong))
      }
    }

  private[spark] def exists(session: SparkSession): Boolean = Try(session.catalog.tableExists(table)).getOrElse(false)

  private def none(session: SparkSession, panes: StructType) = session.createDataFrame(java.util.List.of[Row](), panes)

  /** Columns that it goes by and the panes have not. */
  private[spark] def lacking(panes: StructType): Seq[SpecProblem] =
    on.filterNot(panes.fieldNames.contains).map(name =>
      SpecProblem(
        "COLUMN_NOT_FOUND.ARGUMENT",
        "name"     -> name,
        "columns"  -> panes.fieldNames.mkString(", "),
        "argument" -> "on"))

  private def tried(work: => Unit): Option[SpecProblem] = {
    def refused(error: Throwable, condition: String) = Some(SpecProblem(
      if (Upsert.NoTarget(condition)) "TABLE_NOT_MERGEABLE" else "TABLE_DIFFERS",
      "table" -> table,
      "said"  -> error.getMessage.linesIterator.find(_.nonEmpty).getOrElse("")))
    try {
      work
      None
    } catch {
      case error: AnalysisException if error.getCondition == Upsert.NoFormat => Some(missing)
      case _: ClassNotFoundException                                         => Some(missing)
      case error: AnalysisException                                          => refused(error, error.getCondition)
      case error: UnsupportedOperationException => refused(error, "UNSUPPORTED_FEATURE.TABLE_OPERATION")
    }
  }

  private def missing = SpecProblem("UPSERT_FORMAT_MISSING", "table" -> table, "format" -> create.getOrElse(""))
}

object Upsert {
  private val Formats  = Set("delta", "iceberg")
  private val Held     = "__windrow_held"
  private val NoFormat = "DATA_SOURCE_NOT_FOUND"
  private val NoTarget = Set("UNSUPPORTED_FEATURE.TABLE_OPERATION", "TABLE_OR_VIEW_NOT_FOUND")

  /** A name as SQL: no text of the user's stands in that of the merge, where it could be more than a name, or `${...}`. */
  private def identifier(name: String): String =
    s"IDENTIFIER(CAST(X'${HexFormat.of.formatHex(name.getBytes(UTF_8))}' AS STRING))"

  private def named(table: String, column: String): String =
    identifier(s"$table.${QuotingUtils.quoteIdentifier(column)}")
}
