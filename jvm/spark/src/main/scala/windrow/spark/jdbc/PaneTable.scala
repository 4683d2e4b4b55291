package windrow.spark.jdbc

import java.sql.{Connection, PreparedStatement}
import java.util.UUID
import org.apache.spark.sql.Row
import org.apache.spark.sql.jdbc.JdbcDialect
import org.apache.spark.sql.types.StructType
import scala.util.{Try, Using}
import windrow.spark.output.LastPanes

/** A table of a database with flat rows.
  *
  * @param database
  *   the database's name in the URL, `postgresql`
  * @param rows
  *   the columns of the rows; see [[JdbcColumns.flat]]
  * @param on
  *   the key columns. Rows with the same [[JdbcColumns.Key]] replace each other; if empty, rows are appended.
  * @param held
  *   the columns that the table has; empty if it is missing
  */
private[jdbc] final class PaneTable(
    dialect: JdbcDialect,
    val database: String,
    table: String,
    rows: StructType,
    on: Seq[String],
    held: Seq[String]) {
  val schema: StructType   = StructType(rows.filterNot(_.name == LastPanes.Withdrawn))
  val columns: Seq[String] = schema.fieldNames.toSeq

  private val isKey = (on ++ Seq(JdbcColumns.Key, JdbcColumns.Place)).toSet
  private val kinds =
    schema.fields.map(field => JdbcKind(field.dataType, dialect, database, isKey(field.name))).toIndexedSeq
  private val hides    = JdbcColumns.hides(schema).filter(_ => on.nonEmpty)
  private val quoted   = new JdbcNames(dialect, held)
  private lazy val key = schema.fieldIndex(JdbcColumns.Key)
  private val place    = Option(columns.indexOf(JdbcColumns.Place)).filter(_ >= 0)

  /** Creates the table, with an index by which databases find the row of a window. */
  def create(connection: Connection): Unit = {
    val defined = columns.zip(kinds).map { case (name, kind) => s"${quoted(name)} ${kind.name}" }
    execute(connection, s"CREATE TABLE $table (${defined.mkString(", ")})${JdbcSession.tableOptions(database)}")
    try
      if (on.nonEmpty) {
        // A name made from that of the table could be too long, or could be in use since the table was renamed.
        val index = s"${JdbcSession.IndexPrefix}${UUID.randomUUID.toString.take(13).replace('-', '_')}"
        execute(connection, s"CREATE UNIQUE INDEX $index ON $table (${quoted(JdbcColumns.Key)})")
      }
    catch {
      case wrong: Throwable =>
        Try(drop(connection))
        throw wrong
    }
  }

  def drop(connection: Connection): Unit = execute(connection, s"DROP TABLE $table")

  /** Writes all rows, or fails. */
  def write(connection: Connection, some: Seq[Row]): Unit = {
    remove(connection, some)
    val stays = some.filterNot(row => hides.exists(row.getBoolean))
    inBatch(connection, insert, stays)((statement, row) => bind(statement, row, identity))
  }

  /** Removes the rows that the given rows replace. */
  def remove(connection: Connection, some: Seq[Row]): Unit =
    if (on.nonEmpty) inBatch(connection, s"DELETE FROM $table WHERE ${quoted(JdbcColumns.Key)} = ?", some)(
      (statement, row) => kinds(key).set(statement, 1, row.get(key)))

  /** Writes a row with some values replaced.
    *
    * @param of
    *   returns the value of the column at a position; the row's own value is given
    */
  def trial(connection: Connection, row: Row, of: Int => Option[Any]): Unit =
    inBatch(connection, insert, Seq(row))((statement, one) => bind(statement, one, of))

  /** Selects the rows that replace others. If windows compete for a row, a row of an older window loses (SEMANTICS B3).
    */
  def winners(connection: Connection, some: Seq[Row]): Seq[Row] = place.fold(some) { at =>
    val held = places(connection, some.map(_.getString(key)))
    some.filter { row =>
      held.get(row.getString(key)).forall { other =>
        row.getSeq[String](schema.size).contains(other.takeRight(LastPanes.MarkLength)) ||
        !hides.exists(row.getBoolean) && row.getString(at) >= other
      }
    }
  }

  private def places(connection: Connection, keys: Seq[String]): Map[String, String] =
    if (keys.isEmpty) Map.empty
    else {
      val named = Seq(JdbcColumns.Key, JdbcColumns.Place).map(quoted(_))
      val sql =
        s"SELECT ${named.mkString(", ")} FROM $table WHERE ${named.head} IN (${keys.map(_ => "?").mkString(", ")})"
      Using.resource(connection.prepareStatement(sql)) { statement =>
        keys.zipWithIndex.foreach { case (one, i) => statement.setString(i + 1, one) }
        val found = statement.executeQuery()
        Iterator.continually(found).takeWhile(_.next()).map(row => row.getString(1) -> row.getString(2)).toMap
      }
    }

  private def bind(statement: PreparedStatement, row: Row, of: Int => Option[Any]): Unit =
    kinds.indices.foreach(i => kinds(i).set(statement, i + 1, of(i).getOrElse(row.get(i))))

  private def identity(place: Int): Option[Any] = None

  private def inBatch(
      connection: Connection,
      sql: String,
      some: Seq[Row])(bind: (PreparedStatement, Row) => Unit): Unit =
    if (some.nonEmpty) Using.resource(connection.prepareStatement(sql)) { statement =>
      some.foreach { row =>
        bind(statement, row)
        statement.addBatch()
      }
      statement.executeBatch()
    }

  private val insert =
    s"INSERT INTO $table (${columns.map(quoted(_)).mkString(", ")}) VALUES (${columns.map(_ => "?").mkString(", ")})"

  private def execute(connection: Connection, sql: String): Unit =
    Using.resource(connection.createStatement())(statement => { statement.execute(sql); () })
}
