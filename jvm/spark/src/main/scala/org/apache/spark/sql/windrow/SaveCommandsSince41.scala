package org.apache.spark.sql.windrow

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.command.SaveAsV1TableCommand
import org.apache.spark.sql.execution.datasources.{CreateTable, DataSourceUtils, FileFormat}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{SaveMode, classic}

/** Asks Spark for its command. The methods exist from Spark 4.1 on. */
private[windrow] object SaveCommandsSince41 extends SaveCommands {

  override def files(rows: classic.DataFrame, format: String, folder: String): LogicalPlan =
    writer(rows).format(format).asInstanceOf[classic.DataFrameWriter[_]].saveCommand(Some(folder))

  override def table(rows: classic.DataFrame, name: String, format: Option[String]): LogicalPlan = {
    val made = writer(rows)
    format.foreach(made.format) // changes the writer
    made.saveAsTableCommand(name) match {
      case SaveAsV1TableCommand(description, mode, query) => CreateTable(description, mode, Some(query))
      case other                                          => other
    }
  }

  override def verify(format: FileFormat, columns: StructType): Unit = DataSourceUtils.verifySchema(format, columns)

  private def writer(rows: classic.DataFrame): classic.DataFrameWriter[_] =
    rows.write.mode(SaveMode.Append).asInstanceOf[classic.DataFrameWriter[_]]
}
