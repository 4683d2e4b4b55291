package windrow.spark.jdbc

import java.nio.charset.StandardCharsets.UTF_8
import java.sql.{Connection, SQLException}
import org.apache.spark.sql.execution.datasources.jdbc.JdbcOptionsInWrite
import org.apache.spark.sql.jdbc.JdbcDialects
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, Row}
import org.slf4j.LoggerFactory
import scala.jdk.CollectionConverters._
import scala.util.{Try, Using}

/** Writes a micro-batch and its number to a database in one transaction, over one connection from the driver. After a
  * crash, the last micro-batch is repeated and recognized by its number and offsets (SEMANTICS B10).
  *
  * @param settings
  *   the options. Those of Windrow start with `windrow.`
  */
private[jdbc] final class JdbcWrite(options: JdbcOptionsInWrite, settings: Map[String, String]) {
  import JdbcWrite._

  private val database = options.url.split(':').lift(1).getOrElse("")
  private val dialect  = JdbcDialects.get(if (database == "mariadb") "jdbc:mysql:" else options.url)
  private val on       = settings.get(On).fold(Seq.empty[String])(_.split('\n').toSeq)
  private val query    = settings.getOrElse(Query, "")

  /** Writes a micro-batch. Without a batch number, only creates the tables. */
  def write(data: DataFrame): Unit = {
    val rows = JdbcColumns.flat(data, on)
    Using.resource(JdbcSession.open(options, dialect, database)) { connection =>
      val held  = columnsOf(connection, options.table)
      val by    = JdbcColumns.of(data.schema, on)
      val table = new PaneTable(dialect, database, options.table, rows.schema, by, held.getOrElse(Nil))
      check(connection, table, held)
      if (!settings.contains(OnlyCheck)) {
        create(connection, table, held.isEmpty)
        settings.get(Batch).foreach(number => batch(connection, table, rows, number.toLong))
      }
    }
  }

  private def dead(connection: Connection, sink: String): Option[DeadLetters] = settings.get(DeadLetter).map(table =>
    new DeadLetters(dialect, database, table, query, sink, columnsOf(connection, table).getOrElse(Nil)))

  /** Fails if rows could not be written. Creates nothing. */
  private def check(connection: Connection, table: PaneTable, held: Option[Seq[String]]): Unit = {
    val most = connection.getMetaData.getMaxColumnNameLength
    // PostgreSQL would silently truncate them.
    table.columns.find(most > 0 && _.getBytes(UTF_8).length > most).foreach(name =>
      throw JdbcRefusal("COLUMN_NAME_TOO_LONG", None, "table" -> options.table, "name" -> name, "most" -> most))
    held.foreach(lacking(options.table, _, table.columns))
    if (held.isDefined) requireTransactions(connection, options.table)
    dead(connection, "").foreach { one =>
      if (!connection.getMetaData.supportsSavepoints)
        throw JdbcRefusal("DEAD_LETTER_NOT_POSSIBLE", None, "table" -> one.table)
      columnsOf(connection, one.table).foreach(lacking(one.table, _, one.columns))
    }
  }

  private def create(connection: Connection, table: PaneTable, isMissing: Boolean): Unit = {
    val isNew = isMissing && created(connection, options.table, table.columns)(table.create(connection))
    try {
      val batches = ledger(connection)._1
      batches.create(connection)
      val letters = dead(connection, "")
      letters.filter(one => columnsOf(connection, one.table).isEmpty).foreach(one =>
        created(connection, one.table, one.columns)(one.create(connection)))
      (Seq(options.table, batches.table) ++ letters.map(_.table)).foreach(requireTransactions(connection, _))
    } catch {
      case wrong: Throwable =>
        if (isNew) Try(table.drop(connection))
        throw wrong
    }
  }

  /** Creates a missing table. Returns false if another query has created it in the meantime. */
  private def created(connection: Connection, table: String, wanted: Seq[String])(work: => Unit): Boolean =
    try { work; true }
    catch {
      case wrong: SQLException =>
        lacking(table, columnsOf(connection, table).getOrElse(throw wrong), wanted)
        false
    }

  /** Fails if the table belongs to an engine of MySQL or MariaDB without transactions, as MyISAM. */
  private def requireTransactions(connection: Connection, table: String): Unit =
    if (JdbcSession.isOfMySql(database) && settings.get(Batch).isEmpty) {
      val place = TablePlace.of(connection, dialect, database, table)
      val sql =
        "SELECT e.ENGINE FROM information_schema.TABLES t JOIN information_schema.ENGINES e ON e.ENGINE = t.ENGINE " +
          "WHERE t.TABLE_SCHEMA = COALESCE(?, DATABASE()) AND t.TABLE_NAME = ? AND e.TRANSACTIONS <> 'YES'"
      Using.resource(connection.prepareStatement(sql)) { statement =>
        statement.setString(1, place.schema.orNull)
        statement.setString(2, place.name)
        val found = statement.executeQuery()
        if (found.next())
          throw JdbcRefusal(
            "TABLE_WITHOUT_TRANSACTIONS",
            None,
            "table"  -> table,
            "engine" -> found.getString(1))
      }
    }

  /** Returns the ledger, and the name of this sink in it: the kind of rows, if there is one, and the
    * database's name of the table.
    */
  private def ledger(connection: Connection): (BatchLedger, String) = {
    val place = TablePlace.of(connection, dialect, database, options.table)
    val sink  = (settings.get(Kind) ++ Seq(place.name)).mkString(" ")
    (new BatchLedger(dialect, database, place.sibling(BatchLedger.Name), query, sink), sink)
  }

  private def columnsOf(connection: Connection, table: String): Option[Seq[String]] =
    TablePlace.columns(connection, dialect, table)

  private def lacking(table: String, has: Seq[String], wanted: Seq[String]): Unit =
    if (wanted.exists(one => !has.exists(_.equalsIgnoreCase(one))))
      throw JdbcRefusal(
        "TABLE_COLUMNS_DIFFER",
        None,
        "table" -> table,
        "has"   -> has.mkString(", "),
        "rows"  -> wanted.mkString(", "))

  private def batch(connection: Connection, table: PaneTable, rows: DataFrame, number: Long): Unit = {
    val (batches, sink) = ledger(connection)
    val digest          = settings.get(Checkpoint).flatMap(BatchDigest.of(rows.sparkSession, _, number))
    val came            = BatchLedger.LedgerEntry(number, digest)
    val letters         = dead(connection, sink)
    val before          = batches.last(connection)
    def put(): Unit     = write(connection, table, rows, number, letters)
    def putAgain(): Unit = {
      letters.foreach(_.forget(connection, number))
      put()
    }
    JdbcSession.transaction(connection)(before match {
      case Some(last) if last.isAnother(came) =>
        throw JdbcRefusal("BATCH_IS_ANOTHER.DATABASE", None, "table" -> options.table, "batch" -> number)
      // A restart with other settings may have produced other panes. Rows that were appended cannot be distinguished
      // from them.
      case Some(last) if last.number == number => if (on.nonEmpty) putAgain()
      case Some(last) if last.number > number =>
        throw JdbcRefusal(
          "BATCH_OF_THE_PAST.DATABASE",
          None,
          "table" -> options.table,
          "batch" -> number,
          "last"  -> last.number)
      case last =>
        // Must precede the rows: another run of the query with the same micro-batch waits here and then finds it taken.
        if (!batches.note(connection, came, last))
          throw JdbcRefusal("BATCH_TAKEN", None, "table" -> options.table, "batch" -> number)
        put()
    })
  }

  private def write(
      connection: Connection,
      table: PaneTable,
      rows: DataFrame,
      number: Long,
      letters: Option[DeadLetters]): Unit = {
    var refused = 0
    def refuse(row: Row, reason: RowWriter.Reason): Unit = letters match {
      case Some(dead) =>
        dead.add(connection, number, table.schema, row, reason)
        refused += 1
      case None => throw notStorable(table.schema, row, reason, number)
    }
    new RowWriter(connection, table, refuse).write(rows.toLocalIterator().asScala: Iterator[Row])
    if (refused > 0)
      log.warn(s"Table ${options.table} cannot store $refused rows of batch $number. They are in ${letters.get.table}.")
  }

  /** Creates the error about a row. Omits the driver's error, which may contain values. */
  private def notStorable(schema: StructType, row: Row, reason: RowWriter.Reason, number: Long): Throwable = {
    val words = new FlatRow(schema, row)
    JdbcRefusal(
      "VALUE_NOT_STORABLE",
      None,
      "table"   -> options.table,
      "batch"   -> number,
      "row"     -> words.named,
      "problem" -> words.problem(reason.columns),
      "state"   -> s"SQLSTATE ${reason.error.getSQLState}, code ${reason.error.getErrorCode}")
  }
}

private[spark] object JdbcWrite {
  private val log = LoggerFactory.getLogger(classOf[JdbcWrite])

  /** The number of the micro-batch. Without it, no rows are written. */
  val Batch = "windrow.batch"

  /** The id of the query, as stored in its checkpoint. */
  val Query = "windrow.query"

  /** The location of the checkpoint. */
  val Checkpoint = "windrow.checkpoint"

  /** The kind of rows, for example `panes`. */
  val Kind = "windrow.kind"

  /** The columns that identify a row, one per line. If missing, rows are appended. */
  val On = "windrow.on"

  /** The table for rows that the other table cannot store. If missing, the first such row is an error. */
  val DeadLetter = "windrow.deadLetter"

  /** Only checks the tables and creates nothing. */
  val OnlyCheck = "windrow.onlyCheck"
}
