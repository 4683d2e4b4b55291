package windrow.spark.jdbc

import java.sql.Connection
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.Row
import org.apache.spark.sql.execution.datasources.jdbc.JdbcOptionsInWrite
import org.apache.spark.sql.execution.datasources.jdbc.JdbcUtils
import org.apache.spark.sql.jdbc.JdbcDialects
import scala.jdk.CollectionConverters._
import scala.util.Using

/** A batch and its number go into a database in one transaction, by one connection of the driver: after a crash the last batch
  * comes again, and is known by its number and its offsets (SEMANTICS B10).
  *
  * @param said
  *   the options, of which windrow's own begin with `windrow.`
  */
private[jdbc] final class JdbcWrite(options: JdbcOptionsInWrite, said: Map[String, String]) {
  import JdbcWrite._

  private val dialect = JdbcDialects.get(options.url)
  private val on      = said.get(On).fold(Seq.empty[String])(_.split('\n').toSeq)
  private val ledger  = new BatchLedger(dialect, said.getOrElse(Query, ""), said.getOrElse(Sink, ""))

  /** Without a number of a batch only the tables are made. */
  def write(data: DataFrame): Unit = {
    val rows = JdbcColumns.flat(data, on)
    val table = new PaneTable(
      dialect,
      options.url.split(':').lift(1).getOrElse(""),
      options.table,
      rows.schema,
      JdbcColumns.of(data.schema, on),
      JdbcColumns.hides(rows.schema))
    Using.resource(dialect.createConnectionFactory(options)(-1)) { connection =>
      prepare(connection, table)
      said.get(Batch).foreach(number => inOne(connection)(batch(connection, table, rows, number.toLong)))
    }
  }

  private def prepare(connection: Connection, table: PaneTable): Unit = {
    if (!JdbcUtils.tableExists(connection, options)) table.create(connection)
    else {
      val has     = JdbcUtils.getSchemaOption(connection, options).map(_.fieldNames.toSeq).getOrElse(Nil)
      val lacking = table.columns.filterNot(one => has.exists(_.equalsIgnoreCase(one)))
      if (lacking.nonEmpty)
        throw JdbcRefusal(
          "TABLE_COLUMNS_DIFFER",
          None,
          "table" -> options.table,
          "has"   -> has.mkString(", "),
          "rows"  -> table.columns.mkString(", "))
    }
    ledger.create(connection)
  }

  private def batch(connection: Connection, table: PaneTable, rows: DataFrame, number: Long): Unit = {
    val digest = said.get(Checkpoint).flatMap(BatchDigest.of(rows.sparkSession, _, number))
    val came   = BatchLedger.Noted(number, digest)
    ledger.last(connection) match {
      case Some(last) if last.isAnother(came) =>
        throw JdbcRefusal("BATCH_IS_ANOTHER", None, "table" -> options.table, "batch" -> number)
      // A restart with other settings may have given it other panes; rows that are added cannot be told from those.
      case Some(last) if last.number == number => if (on.nonEmpty) write(connection, table, rows)
      case Some(last) if last.number > number =>
        throw JdbcRefusal("BATCH_OF_THE_PAST", None, "table" -> options.table, "batch" -> number, "last" -> last.number)
      case last =>
        // Before the rows: another run of the query that has the same batch waits here, and finds it taken.
        if (!ledger.note(connection, came, last))
          throw JdbcRefusal("BATCH_TAKEN", None, "table" -> options.table, "batch" -> number)
        write(connection, table, rows)
    }
  }

  private def write(connection: Connection, table: PaneTable, rows: DataFrame): Unit =
    table.write(connection, rows.toLocalIterator().asScala: Iterator[Row])

  private def inOne(connection: Connection)(work: => Unit): Unit = {
    connection.setAutoCommit(false)
    try {
      work
      connection.commit()
    } catch {
      case wrong: Throwable =>
        connection.rollback()
        throw wrong
    }
  }
}

private[spark] object JdbcWrite {

  /** Number of the batch; without it nothing is written. */
  val Batch = "windrow.batch"

  /** Id of the query, as its checkpoint keeps it. */
  val Query = "windrow.query"

  /** Where it is. */
  val Checkpoint = "windrow.checkpoint"

  /** Which of the query's sinks it is. */
  val Sink = "windrow.sink"

  /** Columns by which a row is found, a line each; none: rows are added. */
  val On = "windrow.on"
}
