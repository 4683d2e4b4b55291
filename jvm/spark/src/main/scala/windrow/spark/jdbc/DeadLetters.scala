package windrow.spark.jdbc

import java.sql.Connection
import org.apache.spark.sql.Row
import org.apache.spark.sql.execution.datasources.jdbc.JdbcUtils
import org.apache.spark.sql.jdbc.JdbcDialect
import org.apache.spark.sql.types.{StringType, StructType}
import scala.util.{Try, Using}

/** The table of the rows that another table cannot store, as JSON, each with the reason (SEMANTICS B10). */
private[jdbc] final class DeadLetters(
    dialect: JdbcDialect,
    database: String,
    val table: String,
    query: String,
    sink: String,
    held: Seq[String] = Nil) {
  import DeadLetters._

  private val quoted = new JdbcNames(dialect, held)

  val columns: Seq[String] = Texts.map(_._1) :+ Batch

  def create(connection: Connection): Unit = {
    val long = if (database == "oracle") "CLOB"
    else dialect.getJDBCType(StringType).orElse(JdbcUtils.getCommonJDBCType(StringType)).get.databaseTypeDefinition
    val columns = Texts.map { case (name, length) =>
      s"${quoted(name)} ${length.fold(long)(n => s"VARCHAR($n)")}"
    } :+ s"${quoted(Batch)} BIGINT"
    Using.resource(connection.createStatement()) { statement =>
      statement.execute(s"CREATE TABLE $table (${columns.mkString(", ")})${JdbcSession.tableOptions(database)}")
    }
    ()
  }

  /** Removes the rows that an earlier attempt wrote for a micro-batch. */
  def forget(connection: Connection, batch: Long): Unit = {
    val sql = s"DELETE FROM $table WHERE ${quoted("query")} = ? AND ${quoted("sink")} = ? AND ${quoted(Batch)} = ?"
    Using.resource(connection.prepareStatement(sql)) { statement =>
      statement.setString(1, query)
      statement.setString(2, sink)
      statement.setLong(3, batch)
      statement.executeUpdate()
    }
    ()
  }

  /** Adds a row, unabridged if the database accepts strings of that length, shortened otherwise. */
  def add(connection: Connection, batch: Long, schema: StructType, row: Row, reason: RowWriter.Reason): Unit = {
    val before = connection.setSavepoint()
    try insert(connection, batch, new FlatRow(schema, row), reason, Int.MaxValue)
    catch {
      case _: java.sql.SQLException =>
        connection.rollback(before)
        insert(connection, batch, new FlatRow(schema, row), reason, Shortened)
    }
    Try(connection.releaseSavepoint(before))
    ()
  }

  private def insert(connection: Connection, batch: Long, row: FlatRow, reason: RowWriter.Reason, most: Int): Unit = {
    val why    = FlatRow.plain(Option(reason.error.getMessage).getOrElse(reason.error.toString), 2000)
    val at     = FlatRow.plain(row.columnNames(reason.columns), 1000)
    val values = Seq(query, sink, at, why, row.key(most), row.window(most), row.pane(most), row.values(most))
    val sql =
      s"INSERT INTO $table (${columns.map(quoted(_)).mkString(", ")}) VALUES (${columns.map(_ => "?").mkString(", ")})"
    Using.resource(connection.prepareStatement(sql)) { statement =>
      values.zipWithIndex.foreach { case (value, i) => JdbcKind.setText(statement, i + 1, value) }
      statement.setLong(values.size + 1, batch)
      statement.executeUpdate()
    }
    ()
  }
}

private[jdbc] object DeadLetters {
  private val Batch = "batch"

  /** The names of the columns in the order of the values. A length marks short strings. */
  private val Texts = Seq(
    "query"       -> Some(64),
    "sink"        -> Some(400),
    "refused"     -> Some(1000),
    "reason"      -> Some(2000),
    "pane_key"    -> None,
    "pane_window" -> None,
    "pane"        -> None,
    "row_values"  -> None)

  private val Shortened = 200
}
