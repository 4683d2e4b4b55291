package windrow.spark.jdbc

import java.sql.Connection
import org.apache.spark.sql.Row
import org.apache.spark.sql.jdbc.JdbcDialect
import org.apache.spark.sql.types.StructType
import scala.util.Using

/** A table of a database with flat rows.
  *
  * @param database
  *   as the address calls it, `postgresql`
  * @param on
  *   columns of the key of rows, of which one takes the place of another by [[JdbcColumns.Key]]; none: rows are added
  * @param hides
  *   place of the column that says that a row is to go, where others are found by it
  */
private[jdbc] final class PaneTable(
    dialect: JdbcDialect,
    database: String,
    table: String,
    schema: StructType,
    on: Seq[String],
    hides: Option[Int]) {
  val columns: Seq[String] = schema.fieldNames.toSeq

  private val isKey = (on :+ JdbcColumns.Key).toSet
  private val kinds =
    schema.fields.map(field => JdbcKind(field.dataType, dialect, database, isKey(field.name))).toIndexedSeq
  private def quoted(place: Int) = dialect.quoteIdentifier(columns(place))
  private def key: Int           = schema.fieldIndex(JdbcColumns.Key)
  private val all                = columns.indices

  /** Databases find the row of a window by an index. */
  def create(connection: Connection): Unit = {
    execute(connection, s"CREATE TABLE $table (${all.map(i => s"${quoted(i)} ${kinds(i).name}").mkString(", ")})")
    if (on.nonEmpty) {
      val index = dialect.quoteIdentifier(s"${table.split('.').last.filter(_ != '"')}_windrow")
      execute(connection, s"CREATE INDEX $index ON $table (${quoted(key)})")
    }
  }

  def write(connection: Connection, rows: Iterator[Row]): Unit = rows.grouped(PaneTable.AtOnce).foreach { some =>
    if (on.nonEmpty) inBatch(connection, s"DELETE FROM $table WHERE ${quoted(key)} = ?", some, Seq(key))
    inBatch(connection, insert, some.filterNot(row => on.nonEmpty && hides.exists(row.getBoolean)), all)
  }

  /** @param places
    *   of the values in a row, in the order of the parameters
    */
  private def inBatch(connection: Connection, sql: String, rows: Seq[Row], places: Seq[Int]): Unit =
    if (rows.nonEmpty) Using.resource(connection.prepareStatement(sql)) { statement =>
      rows.foreach { row =>
        places.zipWithIndex.foreach { case (place, i) => kinds(place).set(statement, i + 1, row, place) }
        statement.addBatch()
      }
      statement.executeBatch()
    }

  private val insert =
    s"INSERT INTO $table (${all.map(quoted).mkString(", ")}) VALUES (${all.map(_ => "?").mkString(", ")})"

  private def execute(connection: Connection, sql: String): Unit =
    Using.resource(connection.createStatement())(statement => { statement.execute(sql); () })
}

private object PaneTable {
  private val AtOnce = 1000
}
