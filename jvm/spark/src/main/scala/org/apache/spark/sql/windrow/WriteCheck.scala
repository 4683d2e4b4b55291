package org.apache.spark.sql.windrow

import org.apache.hadoop.mapreduce.Job
import org.apache.spark.SparkException
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.analysis.UnsupportedOperationChecker
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.streaming.InternalOutputModes
import org.apache.spark.sql.connector.catalog.TableProvider
import org.apache.spark.sql.execution.datasources.v2.FileDataSourceV2
import org.apache.spark.sql.execution.datasources.{
  CreateTable, DataSource, DataSourceUtils, FileFormat, InsertIntoHadoopFsRelationCommand
}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sources.CreatableRelationProvider
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.SchemaUtils
import org.apache.spark.sql.{Row, SparkSession, classic}
import scala.util.Try
import windrow.spark.version.SparkVersion

/** Runs Spark's own checks of a query and of the writes of its micro-batches before the query starts. Writes nothing.
  */
object WriteCheck {
  private val commands: SaveCommands = if (SparkVersion.is40) SaveCommandsOf40 else SaveCommandsSince41

  /** Fails if a write of files with these columns would fail, in any folder. */
  def files(session: SparkSession, rows: StructType, format: String): Unit =
    commands.files(none(session, rows), format, "file:///batch=0") match {
      case insert: InsertIntoHadoopFsRelationCommand =>
        check(session, insert.fileFormat, rows, insert.options)
      case other => analyzed(session, other): Unit
    }

  /** Fails if an append to a table would fail. The table may be missing. */
  def table(session: SparkSession, rows: StructType, name: String): Unit = {
    val default = ofClassic(session).sessionState.conf.defaultDataSourceName
    commands.table(none(session, rows), name, SparkInside.provider(session, name)) match {
      case table @ CreateTable(description, _, _) =>
        analyzed(session, table)
        val provider = description.provider.getOrElse(default)
        format(provider) match {
          case Some(files) => check(session, files, rows, description.storage.properties)
          case None if !takesRows(provider) =>
            throw new SparkException(s"Spark cannot append to the format '$provider'.")
          case None => ()
        }
      case other => analyzed(session, other): Unit
    }
  }

  /** Fails if Spark cannot run the query as a stream that appends rows. */
  def streaming(query: LogicalPlan): Unit =
    UnsupportedOperationChecker.checkForStreaming(query, InternalOutputModes.Append)

  /** Whether a query with this name is running in the session. */
  def isRunning(session: SparkSession, name: String): Boolean = session.streams.active.exists(_.name == name)

  /** Returns the present or future location of a table's rows, or None if its catalog is not Spark's own. */
  def location(session: SparkSession, table: String): Option[String] = {
    val state = ofClassic(session).sessionState
    Try {
      val names = state.sqlParser.parseMultipartIdentifier(table)
      val own   = if (names.headOption.contains(Own)) names.drop(1) else names
      val known = TableIdentifier(own.last, own.dropRight(1).lastOption)
      if (own.size > 2 || (own eq names) && session.catalog.currentCatalog() != Own || state.catalog.isTempView(known))
        None
      else if (state.catalog.tableExists(known)) state.catalog.getTableMetadata(known).storage.locationUri
      else Some(state.catalog.defaultTablePath(known))
    }.toOption.flatten.map(_.toString)
  }

  private val Own = "spark_catalog"

  private def none(session: SparkSession, rows: StructType): classic.DataFrame =
    ofClassic(session).createDataFrame(java.util.List.of[Row](), SparkInside.nullable(rows))

  private def analyzed(session: SparkSession, plan: LogicalPlan): LogicalPlan = {
    val execution = ofClassic(session).sessionState.executePlan(plan)
    execution.assertAnalyzed()
    execution.analyzed
  }

  private def check(
      session: SparkSession,
      format: FileFormat,
      rows: StructType,
      options: Map[String, String]): Unit = {
    SchemaUtils.checkColumnNameDuplication(rows.fieldNames.toSeq, SparkInside.resolver(session))
    commands.verify(format, rows)
    DataSourceUtils.checkFieldNames(format, rows)
    format.prepareWrite(session, Job.getInstance(ofClassic(session).sessionState.newHadoopConf()), options, rows): Unit
  }

  private def format(name: String): Option[FileFormat] =
    Try(DataSource.lookupDataSource(name, SQLConf.get).getConstructor().newInstance()).toOption.flatMap {
      case files: FileDataSourceV2 => Some(files.fallbackFileFormat.getConstructor().newInstance())
      case files: FileFormat       => Some(files)
      case _                       => None
    }

  /** Whether Spark can write to a format that does not store files. */
  private def takesRows(name: String): Boolean = Try(DataSource.lookupDataSource(name, SQLConf.get)).toOption.forall(
    one => Seq(classOf[CreatableRelationProvider], classOf[TableProvider]).exists(_.isAssignableFrom(one)))

  private def ofClassic(session: SparkSession): classic.SparkSession = session.asInstanceOf[classic.SparkSession]
}
