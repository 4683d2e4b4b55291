package windrow.spark.jdbc

import java.sql.Connection
import java.sql.PreparedStatement
import org.apache.spark.sql.Row
import org.apache.spark.sql.jdbc.JdbcDialect
import org.apache.spark.sql.types.StructType
import scala.util.Using

/** A table of a database with flat rows.
  *
  * @param database
  *   as the address calls it, `postgresql`
  * @param on
  *   columns by which a row takes the place of another; none: rows are added
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

  private val kinds =
    schema.fields.map(field => JdbcKind(field.dataType, dialect, database, on.contains(field.name))).toIndexedSeq
  private val places             = on.map(schema.fieldIndex)
  private def quoted(place: Int) = dialect.quoteIdentifier(columns(place))
  private val all                = columns.indices

  /** Databases find the row of a window by an index. */
  def create(connection: Connection): Unit = {
    execute(connection, s"CREATE TABLE $table (${all.map(i => s"${quoted(i)} ${kinds(i).name}").mkString(", ")})")
    if (on.nonEmpty) {
      val index = dialect.quoteIdentifier(s"${table.split('.').last.filter(_ != '"')}_windrow")
      execute(connection, s"CREATE INDEX $index ON $table (${places.map(quoted).mkString(", ")})")
    }
  }

  def write(connection: Connection, rows: Iterator[Row]): Unit =
    Using.resource(new Deleting(connection)) { deleting =>
      Using.resource(connection.prepareStatement(insert)) { inserting =>
        rows.grouped(PaneTable.AtOnce).foreach { some =>
          if (on.nonEmpty) deleting(some)
          val held = some.filterNot(row => on.nonEmpty && hides.exists(row.getBoolean))
          held.foreach { row =>
            all.foreach(i => kinds(i).set(inserting, i + 1, row, i))
            inserting.addBatch()
          }
          if (held.nonEmpty) inserting.executeBatch()
        }
      }
    }

  private val insert =
    s"INSERT INTO $table (${all.map(quoted).mkString(", ")}) VALUES (${all.map(_ => "?").mkString(", ")})"

  private def execute(connection: Connection, sql: String): Unit =
    Using.resource(connection.createStatement())(statement => { statement.execute(sql); () })

  /** Takes away the rows in whose place others come. A null finds nulls, which no `=` does: a statement for each set of them. */
  private final class Deleting(connection: Connection) extends AutoCloseable {
    private val statements = scala.collection.mutable.Map.empty[Seq[Boolean], PreparedStatement]

    def apply(rows: Seq[Row]): Unit = rows.groupBy(row => places.map(row.isNullAt)).foreach { case (nulls, some) =>
      val statement = statements.getOrElseUpdate(nulls, connection.prepareStatement(delete(nulls)))
      some.foreach { row =>
        places.filterNot(row.isNullAt).zipWithIndex.foreach { case (place, i) =>
          kinds(place).set(statement, i + 1, row, place)
        }
        statement.addBatch()
      }
      statement.executeBatch()
    }

    private def delete(nulls: Seq[Boolean]): String = {
      val found = places.zip(nulls).map { case (place, isNull) =>
        s"${quoted(place)} ${if (isNull) "IS NULL" else "= ?"}"
      }
      s"DELETE FROM $table WHERE ${found.mkString(" AND ")}"
    }

    def close(): Unit = statements.values.foreach(_.close())
  }
}

private object PaneTable {
  private val AtOnce = 1000
}
