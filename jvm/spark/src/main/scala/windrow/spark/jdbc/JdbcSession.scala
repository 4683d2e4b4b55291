package windrow.spark.jdbc

import java.sql.{Connection, SQLException}
import java.util.Locale.ROOT
import org.apache.spark.sql.execution.datasources.jdbc.JdbcOptionsInWrite
import org.apache.spark.sql.jdbc.JdbcDialect
import org.slf4j.LoggerFactory
import scala.util.{Random, Try, Using}

/** Opens connections, and runs transactions on them (SEMANTICS R146, R147). */
private[jdbc] object JdbcSession {
  private val log = LoggerFactory.getLogger(getClass)

  /** MySQL and MariaDB. */
  def isOfMySql(database: String): Boolean = database == "mysql" || database == "mariadb"

  /** Opens a connection that stores exactly the values that it is given. A session of MySQL or MariaDB otherwise
    * converts instants from its own time zone, may shorten values without an error, and locks gaps between rows, so that
    * queries that share a table block each other.
    */
  def open(options: JdbcOptionsInWrite, dialect: JdbcDialect, database: String): Connection = {
    val connection = dialect.createConnectionFactory(options)(-1)
    try {
      if (isOfMySql(database)) {
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED)
        Using.resource(connection.createStatement())(_.execute(
          "SET SESSION time_zone = '+00:00', " +
            "SESSION sql_mode = CONCAT_WS(',', NULLIF(@@SESSION.sql_mode, ''), 'STRICT_ALL_TABLES')"))
      }
      connection
    } catch {
      case wrong: Throwable =>
        Try(connection.close())
        throw wrong
    }
  }

  /** Ends the SQL that creates a table, so that it has transactions and can store every character. */
  def tableOptions(database: String): String =
    if (isOfMySql(database)) " ENGINE = InnoDB CHARACTER SET utf8mb4" else ""

  /** Runs a transaction. If another transaction prevents it (a deadlock, or another query has just written a row of the
    * same key), nothing of it has been stored, so it runs again after a pause.
    */
  def transaction(connection: Connection, attempt: Int = 1)(work: => Unit): Unit = {
    connection.setAutoCommit(false)
    val prevented =
      try {
        work
        connection.commit()
        None
      } catch {
        case wrong: Throwable =>
          Try(connection.rollback()) // fails without a connection, and then the first error is the cause
          wrong match {
            case error: SQLException if isPrevented(error) && attempt < Attempts => Some(error)
            case _                                                               => throw wrong
          }
      }
    prevented.foreach { error =>
      log.warn(s"Another transaction prevents this one (SQLSTATE ${error.getSQLState}), attempt $attempt of $Attempts.")
      Thread.sleep(Random.between(Pause / 2, Pause) * attempt.toLong)
      transaction(connection, attempt + 1)(work)
    }
  }

  /** Whether an error is due to another transaction. */
  def isPrevented(error: SQLException): Boolean = Option(error.getSQLState).exists { state =>
    Conflicts(state) ||
    state.startsWith("23") && Option(error.getMessage).exists(_.toLowerCase(ROOT).contains(IndexPrefix))
  }

  /** Begins the names of the indexes that keep the keys of a table unique. */
  val IndexPrefix = "windrow_row_"

  /** A conflict with another transaction, and a deadlock of PostgreSQL. */
  private val Conflicts = Set("40001", "40P01")
  private val Attempts  = 10
  private val Pause     = 100 // milliseconds
}
