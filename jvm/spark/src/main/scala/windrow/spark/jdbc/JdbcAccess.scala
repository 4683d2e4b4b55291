package windrow.spark.jdbc

import java.sql.SQLException
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.datasources.jdbc.JdbcOptionsInWrite
import scala.util.Try

/** Writes to a database, with errors that show no secret. */
private[spark] object JdbcAccess {

  /** Writes the rows of a micro-batch.
    *
    * @param parameters
    *   the options of Spark's own `jdbc` format, and those of [[JdbcWrite]]
    */
  def write(parameters: Map[String, String], data: DataFrame): Unit = {
    val options = driver(parameters) ++ parameters
    val address = new JdbcAddress(options.getOrElse("url", ""), options.filterNot(_._1.startsWith("windrow.")))
    try new JdbcWrite(new JdbcOptionsInWrite(options), options).write(data)
    catch {
      case wrong @ (_: SQLException | _: ClassNotFoundException | _: IllegalArgumentException) =>
        val shown = address.redacted(wrong)
        val why   = shown.getMessage.linesIterator.nextOption().getOrElse(wrong.getClass.getName)
        throw JdbcRefusal(
          "JDBC_REFUSED",
          Some(shown),
          "table"    -> options.getOrElse("dbtable", ""),
          "database" -> address.shown,
          "why"      -> why)
    }
  }

  /** The driver classes. Drivers that were added with `spark.jars` are not found by a URL alone. */
  private val Drivers = Map(
    "postgresql" -> "org.postgresql.Driver",
    "mysql"      -> "com.mysql.cj.jdbc.Driver",
    "mariadb"    -> "org.mariadb.jdbc.Driver",
    "sqlserver"  -> "com.microsoft.sqlserver.jdbc.SQLServerDriver",
    "oracle"     -> "oracle.jdbc.OracleDriver",
    "sqlite"     -> "org.sqlite.JDBC",
    "duckdb"     -> "org.duckdb.DuckDBDriver")

  private def driver(parameters: Map[String, String]): Map[String, String] =
    parameters.get("url").flatMap(_.split(':').lift(1)).flatMap(Drivers.get)
      .filter(name => Try(Class.forName(name, false, Thread.currentThread.getContextClassLoader)).isSuccess)
      .map("driver" -> _).toMap
}
