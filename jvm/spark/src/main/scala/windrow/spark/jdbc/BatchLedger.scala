package windrow.spark.jdbc

import java.sql.{Connection, SQLException}
import org.apache.spark.sql.jdbc.JdbcDialect
import scala.util.Using

/** The last micro-batch of each query and sink in a database. Stored in the table `windrow_batches`, in the schema of
  * the table with the rows. [[JdbcWrite]] decides by it whether a micro-batch is written.
  *
  * @param table
  *   the name of the ledger's table, with its schema
  */
private[jdbc] final class BatchLedger(
    dialect: JdbcDialect,
    database: String,
    val table: String,
    query: String,
    sink: String) {
  private def name(of: String)                   = JdbcNames.quoted(dialect, of)
  private val (queries, sinks, batches, digests) = (name("query"), name("sink"), name("batch"), name("digest"))
  private val whose                              = s"WHERE $queries = ? AND $sinks = ?"

  /** Creates the table if it does not exist. */
  def create(connection: Connection): Unit = if (!exists(connection)) {
    val sql =
      s"CREATE TABLE $table ($queries VARCHAR(64) NOT NULL, $sinks VARCHAR(400) NOT NULL, $batches BIGINT NOT NULL, " +
        s"$digests VARCHAR(64), PRIMARY KEY ($queries, $sinks))${JdbcSession.tableOptions(database)}"
    try Using.resource(connection.createStatement())(statement => { statement.execute(sql); () })
    catch { case _: SQLException if exists(connection) => () } // another query has created it in the meantime
  }

  def last(connection: Connection): Option[BatchLedger.LedgerEntry] =
    Using.resource(connection.prepareStatement(s"SELECT $batches, $digests FROM $table $whose")) { statement =>
      statement.setString(1, query)
      statement.setString(2, sink)
      val found = statement.executeQuery()
      Option.when(found.next())(BatchLedger.LedgerEntry(found.getLong(1), Option(found.getString(2))))
    }

  /** Replaces the last micro-batch. Returns false if another run of the query has replaced it since `last` was read, or
    * is about to. Databases block other writers here until the rows are committed.
    */
  def note(connection: Connection, batch: BatchLedger.LedgerEntry, last: Option[BatchLedger.LedgerEntry]): Boolean = {
    val sql =
      last.fold(s"INSERT INTO $table ($batches, $digests, $queries, $sinks) VALUES (?, ?, ?, ?)")(_ =>
        s"UPDATE $table SET $batches = ?, $digests = ? $whose AND $batches = ?")
    Using.resource(connection.prepareStatement(sql)) { statement =>
      statement.setLong(1, batch.number)
      statement.setString(2, batch.digest.orNull)
      statement.setString(3, query)
      statement.setString(4, sink)
      last.foreach(before => statement.setLong(5, before.number))
      try statement.executeUpdate() == 1
      catch { case taken: SQLException if last.isEmpty && BatchLedger.isDuplicate(taken) => false }
    }
  }

  private def exists(connection: Connection): Boolean =
    TablePlace.columns(connection, dialect, table).isDefined
}

private[spark] object BatchLedger {
  val Name = "windrow_batches"

  private def isDuplicate(error: SQLException): Boolean = Option(error.getSQLState).exists(_.startsWith("23"))

  /** A recorded micro-batch.
    *
    * @param digest
    *   see [[BatchDigest]]; None if unknown
    */
  final case class LedgerEntry(number: Long, digest: Option[String]) {

    /** Whether two micro-batches have the same number but different input, which happens after a checkpoint was reset
      * to an earlier state.
      */
    def isAnother(than: LedgerEntry): Boolean =
      number == than.number && digest.exists(one => than.digest.exists(_ != one))
  }
}
