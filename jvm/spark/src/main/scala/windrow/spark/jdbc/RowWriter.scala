package windrow.spark.jdbc

import java.sql.{
  Connection, Date, SQLDataException, SQLException, SQLNonTransientConnectionException, SQLRecoverableException,
  SQLTransientException, Timestamp
}
import org.apache.spark.sql.Row
import org.apache.spark.sql.types._
import scala.util.Try
import scala.util.control.NonFatal

/** Writes the rows of a micro-batch to a table and finds those that the table cannot store. Tries many rows at once and
  * splits a group that fails into halves, all in the transaction of the micro-batch.
  *
  * @param refuse
  *   receives a row that cannot be stored, with the reason. The row that it would replace has been removed by then.
  */
private[jdbc] final class RowWriter(
    connection: Connection,
    table: PaneTable,
    refuse: (Row, RowWriter.Reason) => Unit) {
  import RowWriter._

  private val savepoints = connection.getMetaData.supportsSavepoints

  def write(rows: Iterator[Row]): Unit = rows.grouped(AtOnce).foreach(some => store(table.winners(connection, some)))

  private def store(some: Seq[Row]): Unit = if (some.nonEmpty)
    attempt(table.write(connection, some)).foreach { wrong =>
      if (!savepoints || isOfAll(wrong, table.database)) throw wrong
      if (some.sizeIs > 1) {
        val (some1, some2) = some.splitAt(some.size / 2)
        store(some1)
        store(some2)
      } else {
        val reason = reasonOf(some.head, wrong)
        table.remove(connection, some)
        refuse(some.head, reason)
      }
    }

  /** Returns why a row cannot be stored. The row is at fault if the error class concerns data, or if the database
    * accepts the row with other values. Otherwise the table or the connection is at fault and all rows would fail.
    */
  private def reasonOf(row: Row, wrong: SQLException): Reason = {
    table.remove(connection, Seq(row))
    def fails(of: Int => Option[Any]) = attempt(table.trial(connection, row, of), keep = false).isDefined
    val places                        = table.schema.indices
    val neutral                       = places.map(i => neutralOf(table.schema(i).dataType))
    val alone =
      if (fails(i => Some(neutral(i)))) None
      else Some(places.filter(one => fails(i => Option.when(i != one)(neutral(i)))))
    val culprits =
      alone.filter(_.nonEmpty).getOrElse(places.filterNot(one => fails(i => Option.when(i == one)(neutral(i)))))
    if (alone.isEmpty && culprits.isEmpty && !isOfData(wrong)) throw wrong
    Reason(culprits, wrong)
  }

  /** Runs an operation and returns its error. After an error, the transaction is in its previous state. */
  private def attempt(work: => Unit, keep: Boolean = true): Option[SQLException] = {
    val before = Option.when(savepoints)(connection.setSavepoint())
    val failed =
      try { work; None }
      catch {
        case wrong: SQLException  => Some(wrong)
        case NonFatal(unreadable) => Some(new SQLDataException(unreadable.toString, "22000", unreadable))
      }
    if (failed.exists(isOfAll(_, table.database))) throw failed.get
    if (failed.isDefined || !keep) before.foreach(connection.rollback)
    before.foreach(one => Try(connection.releaseSavepoint(one)))
    failed
  }
}

private[jdbc] object RowWriter {
  private val AtOnce = 500

  /** The reason why a row cannot be stored.
    *
    * @param columns
    *   positions of the values that the table rejects; empty if unknown
    */
  final case class Reason(columns: Seq[Int], error: SQLException)

  /** Classes of errors that do not concern a single row: connection, deadlock, resources, locks, operator intervention,
    * system.
    */
  private val OfAll = Set("08", "25", "28", "40", "53", "55", "57", "58")

  /** Such errors of MySQL and MariaDB, which have general classes: no space, lock wait timeout, read-only, statement
    * timeouts.
    */
  private val OfAllInMySql = Set(1021, 1114, 1205, 1290, 1969, 3024)

  private def classOf(error: SQLException): String = Option(error.getSQLState).fold("")(_.take(2))

  private def isOfAll(error: SQLException, database: String): Boolean = error match {
    case _: SQLTransientException | _: SQLRecoverableException | _: SQLNonTransientConnectionException => true
    case _ => OfAll(classOf(error)) || JdbcSession.isPrevented(error) || JdbcSession.isOfMySql(
        database) && OfAllInMySql(error.getErrorCode)
  }

  /** Whether an error concerns a value or a constraint of the table. */
  private def isOfData(error: SQLException): Boolean = Set("22", "23")(classOf(error))

  /** Returns a value that every column of this type can store. */
  private def neutralOf(kind: DataType): Any = kind match {
    case BooleanType      => false
    case ByteType         => 0.toByte
    case ShortType        => 0.toShort
    case IntegerType      => 0
    case LongType         => 0L
    case FloatType        => 0f
    case DoubleType       => 0d
    case _: DecimalType   => java.math.BigDecimal.ZERO
    case BinaryType       => Array.emptyByteArray
    case TimestampType    => Timestamp.valueOf("2000-01-01 00:00:00")
    case TimestampNTZType => java.time.LocalDateTime.of(2000, 1, 1, 0, 0)
    case DateType         => Date.valueOf("2000-01-01")
    case _                => "0"
  }
}
