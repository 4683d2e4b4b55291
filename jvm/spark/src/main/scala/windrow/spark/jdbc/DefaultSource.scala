package windrow.spark.jdbc

import com.fasterxml.jackson.databind.ObjectMapper
import java.sql.SQLException
import org.apache.spark.sql.execution.datasources.jdbc.JdbcOptionsInWrite
import org.apache.spark.sql.sources.{BaseRelation, CreatableRelationProvider}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, SQLContext, SaveMode}
import scala.jdk.CollectionConverters._
import scala.util.Try

/** The format `windrow.spark.jdbc`, with which Python and Scala write a micro-batch to a database, in classic Spark and
  * in Spark Connect. Its option [[JdbcWrite.Options]] contains the options of Spark's own `jdbc` format,
  * [[JdbcWrite.Batch]] and the other options of [[JdbcWrite]].
  */
final class DefaultSource extends CreatableRelationProvider {

  def createRelation(
      context: SQLContext,
      mode: SaveMode,
      parameters: Map[String, String],
      data: DataFrame): BaseRelation = {
    val stated  = DefaultSource.read(parameters(JdbcWrite.Options))
    val said    = DefaultSource.driver(stated) ++ stated
    val address = new JdbcAddress(said.getOrElse("url", ""), said.filterNot(_._1.startsWith("windrow.")))
    try new JdbcWrite(new JdbcOptionsInWrite(said), said).write(data)
    catch {
      case wrong @ (_: SQLException | _: ClassNotFoundException | _: IllegalArgumentException) =>
        val shown = address.redacted(wrong)
        val why   = shown.getMessage.linesIterator.nextOption().getOrElse(wrong.getClass.getName)
        throw JdbcRefusal(
          "JDBC_REFUSED",
          Some(shown),
          "table"    -> said.getOrElse("dbtable", ""),
          "database" -> address.shown,
          "said"     -> why)
    }
    new BaseRelation {
      def sqlContext: SQLContext = context
      def schema: StructType     = data.schema
    }
  }
}

private[jdbc] object DefaultSource {

  /** The driver classes. Drivers that were added with `spark.jars` are not found by a URL alone. */
  private val Drivers = Map(
    "postgresql" -> "org.postgresql.Driver",
    "mysql"      -> "com.mysql.cj.jdbc.Driver",
    "mariadb"    -> "org.mariadb.jdbc.Driver",
    "sqlserver"  -> "com.microsoft.sqlserver.jdbc.SQLServerDriver",
    "oracle"     -> "oracle.jdbc.OracleDriver",
    "sqlite"     -> "org.sqlite.JDBC",
    "duckdb"     -> "org.duckdb.DuckDBDriver")

  private def read(json: String): Map[String, String] =
    new ObjectMapper().readTree(json).properties.asScala.map(one => one.getKey -> one.getValue.asText).toMap

  private def driver(parameters: Map[String, String]): Map[String, String] =
    parameters.get("url").flatMap(_.split(':').lift(1)).flatMap(Drivers.get)
      .filter(name => Try(Class.forName(name, false, Thread.currentThread.getContextClassLoader)).isSuccess)
      .map("driver" -> _).toMap
}
