package windrow.spark

import java.nio.charset.StandardCharsets.UTF_8
import java.util.HexFormat
import java.util.UUID
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.Row
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.util.QuotingUtils
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.StructType
import windrow._

/** A table that Spark can `MERGE` into (Delta, Iceberg), with the columns of the panes: one row for each window of a key, the
  * last pane that holds. A retraction that no pane follows deletes.
  *
  * @param on
  *   the columns by which a pane finds the row that it takes the place of; none: the key and `window`, of `Over` the key and
  *   `message`
  * @param create
  *   the format, `delta` or `iceberg`, in which `start` makes a table that is not there; None: it must be there
  */
final case class Upsert(table: String, on: Seq[String] = Nil, create: Option[String] = None) extends Sink {

  /** Once or twice makes no difference. */
  def write(rows: DataFrame, batch: Long): Unit = {
    val by    = columns(rows.schema)
    val found = by.map(name => s"${Upsert.named("held", name)} <=> ${Upsert.named("came", name)}").mkString(" AND ")
    val came  = s"windrow_${UUID.randomUUID.toString.replace("-", "")}"
    Upsert.lastOfEach(rows, by).createTempView(came)
    try {
      rows.sparkSession.sql(
        s"MERGE INTO ${Upsert.identifier(table)} AS held USING $came AS came ON $found " +
          "WHEN MATCHED AND came.pane.is_retraction THEN DELETE " +
          "WHEN MATCHED THEN UPDATE SET * " +
          "WHEN NOT MATCHED AND NOT came.pane.is_retraction THEN INSERT *")
      ()
    } finally { rows.sparkSession.catalog.dropTempView(came); () }
  }

  /** Why panes that hold only what is new cannot go into it. */
  private[spark] def ofParts: SpecProblem =
    SpecProblem("UPSERT_OF_PARTS", "sink" -> this)

  private[spark] def columns(panes: StructType): Seq[String] =
    if (on.nonEmpty) on
    else {
      val names = panes.fieldNames.toSeq
      names.takeWhile(_ != "window") :+ (if (names.contains("message")) "message" else "window")
    }

  /** @param condition
    *   under which the key and window of panes do not say which row is theirs; `on` does
    */
  override private[spark] def unclear(condition: String): Option[SpecProblem] =
    Option.when(on.isEmpty)(SpecProblem(condition, "sink" -> this))

  /** What is wrong with the table, found by merging no pane. */
  private[spark] def problems(session: SparkSession, panes: StructType): Seq[SpecProblem] = {
    val unknown = lacking(panes)
    if (unknown.nonEmpty) unknown else tried(session, panes).toSeq
  }

  /** Columns that it goes by and the panes have not. */
  private[spark] def lacking(panes: StructType): Seq[SpecProblem] =
    on.filterNot(panes.fieldNames.contains).map(name =>
      SpecProblem(
        "COLUMN_NOT_FOUND.ARGUMENT",
        "name"     -> name,
        "columns"  -> panes.fieldNames.mkString(", "),
        "argument" -> "on"))

  private def tried(session: SparkSession, panes: StructType): Option[SpecProblem] = {
    def refused(error: Throwable, condition: String) = Some(SpecProblem(
      if (Upsert.NoTarget(condition)) "TABLE_NOT_MERGEABLE" else "TABLE_DIFFERS",
      "table" -> table,
      "said"  -> error.getMessage.linesIterator.find(_.nonEmpty).getOrElse("")))
    val none = session.createDataFrame(java.util.List.of[Row](), panes)
    val made = create.filterNot(_ => session.catalog.tableExists(table))
    try {
      made.foreach(none.writeTo(table).using(_).create())
      write(none, 0)
      None
    } catch {
      case error: AnalysisException             => refused(error, error.getCondition)
      case error: UnsupportedOperationException => refused(error, "UNSUPPORTED_FEATURE.TABLE_OPERATION")
    }
  }
}

object Upsert {
  private val NoTarget = Set("UNSUPPORTED_FEATURE.TABLE_OPERATION", "TABLE_OR_VIEW_NOT_FOUND")

  /** A name as SQL: no text of the user's stands in that of the merge, where it could be more than a name, or `${...}`. */
  private def identifier(name: String): String =
    s"IDENTIFIER(CAST(X'${HexFormat.of.formatHex(name.getBytes(UTF_8))}' AS STRING))"

  private def named(table: String, column: String): String =
    identifier(s"$table.${QuotingUtils.quoteIdentifier(column)}")

  /** Of each window the pane that holds, or the retraction after which none does. */
  private[spark] def lastOfEach(panes: DataFrame, on: Seq[String]): DataFrame = {
    def column(name: String) = col(QuotingUtils.quoteIdentifier(name))
    val last = max_by(struct(panes.columns.toSeq.map(column): _*), struct(col("pane.index"), col("pane.is_retraction")))
    val by   = on.zipWithIndex.map { case (name, i) => column(name).as(s"on$i") }
    panes.groupBy(by: _*).agg(last.as("last")).select("last.*")
  }
}
