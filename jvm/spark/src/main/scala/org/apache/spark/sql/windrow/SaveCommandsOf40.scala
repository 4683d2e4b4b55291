package org.apache.spark.sql.windrow

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.catalog.{CatalogStorageFormat, CatalogTable, CatalogTableType}
import org.apache.spark.sql.catalyst.plans.logical.{InsertIntoStatement, LogicalPlan}
import org.apache.spark.sql.errors.QueryCompilationErrors
import org.apache.spark.sql.execution.datasources.{CreateTable, DataSource, FileFormat}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{SaveMode, classic}

/** Builds the commands of Spark 4.0, whose writer only runs them. */
private[windrow] object SaveCommandsOf40 extends SaveCommands {

  override def files(rows: classic.DataFrame, format: String, folder: String): LogicalPlan =
    DataSource(
      rows.sparkSession,
      format,
      options = Map("path" -> folder)).planForWriting(SaveMode.Append, rows.logicalPlan)

  /** A table in another catalog can only be checked if it exists. */
  override def table(rows: classic.DataFrame, name: String, format: Option[String]): LogicalPlan = {
    val session = rows.sparkSession
    val parts   = session.sessionState.sqlParser.parseMultipartIdentifier(name)
    val own     = if (parts.headOption.contains("spark_catalog")) parts.drop(1) else parts
    if (own.sizeIs <= 2 && isSparks(session))
      CreateTable(
        described(TableIdentifier(own.last, own.dropRight(1).lastOption), session, format),
        SaveMode.Append,
        Some(rows.logicalPlan))
    else if (session.catalog.tableExists(name)) into(parts, rows.logicalPlan)
    else rows.logicalPlan
  }

  override def verify(format: FileFormat, columns: StructType): Unit =
    columns.find(column => !format.supportDataType(column.dataType)).foreach(column =>
      throw QueryCompilationErrors.dataTypeUnsupportedByDataSourceError(format.toString, column))

  /** Whether names without a catalog are tables of Spark's own catalog. */
  private def isSparks(session: classic.SparkSession): Boolean =
    session.catalog.currentCatalog() == "spark_catalog" &&
      session.conf.get("spark.sql.catalog.spark_catalog", "builtin") == "builtin"

  private def described(name: TableIdentifier, session: classic.SparkSession, format: Option[String]) = CatalogTable(
    identifier = name,
    tableType = CatalogTableType.MANAGED,
    storage = CatalogStorageFormat.empty,
    schema = new StructType,
    provider = format.orElse(Some(session.sessionState.conf.defaultDataSourceName)))

  private def into(table: Seq[String], rows: LogicalPlan): LogicalPlan = InsertIntoStatement(
    UnresolvedRelation(table),
    Map.empty,
    Nil,
    rows,
    overwrite = false,
    ifPartitionNotExists = false,
    byName = true)
}
