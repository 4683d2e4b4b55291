package org.apache.spark.sql.windrow

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic
import org.apache.spark.sql.execution.datasources.FileFormat
import org.apache.spark.sql.types.StructType

/** The commands with which Spark appends rows. */
private[windrow] trait SaveCommands {

  /** Returns the command that appends rows to files of a format. */
  def files(rows: classic.DataFrame, format: String, folder: String): LogicalPlan

  /** Returns the command that appends rows to a table: `CreateTable` if it is a table of Spark's own catalog.
    *
    * @param format
    *   the format of an existing table; see [[SparkInside.provider]]
    */
  def table(rows: classic.DataFrame, name: String, format: Option[String]): LogicalPlan

  /** Fails if the format cannot store a column. */
  def verify(format: FileFormat, columns: StructType): Unit
}
