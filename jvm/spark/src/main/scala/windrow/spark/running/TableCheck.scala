package windrow.spark.running

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.Resolver
import org.apache.spark.sql.execution.datasources.v2.FileDataSourceV2
import org.apache.spark.sql.execution.datasources.{DataSource, FileFormat}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.windrow.{SparkInside, WriteCheck}
import scala.util.control.NonFatal
import windrow.{ErrorText, SpecProblem}

/** Checks whether rows can be appended to a table, as far as possible without appending any. */
private[running] object TableCheck {
  private val Files: Seq[Class[_]] = Seq(classOf[FileFormat], classOf[FileDataSourceV2])

  /** Checks a table. The first micro-batch creates a missing one.
    *
    * @param rows
    *   the columns of the rows
    */
  def apply(session: SparkSession, table: String, rows: StructType): Option[SpecProblem] =
    if (table.contains('/') && !table.contains('`')) Some(SpecProblem("SINK_IS_PATH", "path" -> table))
    else ofTable(session, table, rows)

  private def ofTable(session: SparkSession, table: String, rows: StructType): Option[SpecProblem] =
    try {
      val differ =
        if (session.catalog.tableExists(table)) ofColumns(session, table, rows.fieldNames.toSeq) else None
      if (differ.isEmpty) WriteCheck.table(session, rows, table)
      differ
    } catch {
      case NonFatal(wrong: SparkThrowable) =>
        Some(SpecProblem("TABLE_NOT_USABLE", "table" -> table, "why" -> ErrorText.firstLine(wrong)))
    }

  /** Checks the columns. Spark's own file tables accept only the columns that they have. Tables of other formats may
    * add columns.
    */
  private def ofColumns(session: SparkSession, table: String, rows: Seq[String]): Option[SpecProblem] = {
    val resolver: Resolver                              = SparkInside.resolver(session)
    val has                                             = session.table(table).schema.fieldNames.toSeq
    def lacking(some: Seq[String], others: Seq[String]) = some.filterNot(one => others.exists(resolver(one, _)))
    Option.when(isOfFiles(session, table) && (lacking(rows, has) ++ lacking(has, rows)).nonEmpty)(SpecProblem(
      "TABLE_COLUMNS_DIFFER",
      "table" -> table,
      "has"   -> has.mkString(", "),
      "rows"  -> rows.mkString(", ")))
  }

  private def isOfFiles(session: SparkSession, table: String): Boolean =
    SparkInside.provider(session, table).exists(name =>
      Files.exists(_.isAssignableFrom(DataSource.lookupDataSource(name, SQLConf.get))))
}
