package windrow.spark.jdbc

import java.sql.Connection
import org.apache.spark.sql.jdbc.JdbcDialect
import scala.util.Using

/** The last batch of each query and sink that a database holds: the table `windrow_batches` beside the rows. */
private[jdbc] final class BatchLedger(dialect: JdbcDialect, query: String, sink: String) {
  private val table                     = "windrow_batches"
  private def name(of: String)          = dialect.quoteIdentifier(of)
  private val (queries, sinks, batches) = (name("query"), name("sink"), name("batch"))
  private val whose                     = s"WHERE $queries = ? AND $sinks = ?"

  def create(connection: Connection): Unit =
    if (!exists(connection)) execute(
      connection,
      s"CREATE TABLE $table ($queries VARCHAR(64) NOT NULL, $sinks VARCHAR(400) NOT NULL, $batches BIGINT NOT NULL, " +
        s"PRIMARY KEY ($queries, $sinks))")

  def last(connection: Connection): Option[Long] =
    Using.resource(connection.prepareStatement(s"SELECT $batches FROM $table $whose")) { statement =>
      statement.setString(1, query)
      statement.setString(2, sink)
      val found = statement.executeQuery()
      Option.when(found.next())(found.getLong(1))
    }

  /** Takes the place of the last batch; false: another run of the query has done so since `last` was asked, or waits to. A
    * database has the others wait here until the rows are in.
    */
  def note(connection: Connection, batch: Long, last: Option[Long]): Boolean = {
    val sql = last.fold(s"INSERT INTO $table ($batches, $queries, $sinks) VALUES (?, ?, ?)")(_ =>
      s"UPDATE $table SET $batches = ? $whose AND $batches = ?")
    Using.resource(connection.prepareStatement(sql)) { statement =>
      statement.setLong(1, batch)
      statement.setString(2, query)
      statement.setString(3, sink)
      last.foreach(statement.setLong(4, _))
      statement.executeUpdate() == 1
    }
  }

  private def exists(connection: Connection): Boolean =
    try {
      execute(connection, dialect.getTableExistsQuery(table))
      true
    } catch { case _: java.sql.SQLException => false }

  private def execute(connection: Connection, sql: String): Unit =
    Using.resource(connection.createStatement())(statement => { statement.execute(sql); () })
}
