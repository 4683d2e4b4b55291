package windrow.spark.jdbc

import java.sql.PreparedStatement
import java.time.ZoneOffset.UTC
import java.util.Calendar
import java.util.TimeZone
import org.apache.spark.sql.Row
import org.apache.spark.sql.execution.datasources.jdbc.JdbcUtils
import org.apache.spark.sql.jdbc.JdbcDialect
import org.apache.spark.sql.jdbc.JdbcType
import org.apache.spark.sql.types._

/** What a column is in a database, as Spark's own `jdbc` has it, and how a value is put there. */
private[jdbc] final class JdbcKind(of: JdbcType, put: (PreparedStatement, Int, Row, Int) => Unit) {
  def name: String = of.databaseTypeDefinition

  /** @param at
    *   of the statement's parameters, from 1
    * @param column
    *   of the row, from 0
    */
  def set(statement: PreparedStatement, at: Int, row: Row, column: Int): Unit =
    if (row.isNullAt(column)) statement.setNull(at, of.jdbcNullType) else put(statement, at, row, column)
}

private[jdbc] object JdbcKind {

  /** Their TIMESTAMP is an instant, told in the zone of the session, which the driver knows; elsewhere it has no zone. */
  private val OfInstants = Set("mysql", "mariadb", "oracle")
  private val ShortText  = JdbcType("VARCHAR(700)", java.sql.Types.VARCHAR)

  /** @param database
    *   as the address calls it, `postgresql`
    * @param isKey
    *   rows are found by it, which texts without end are not in every database
    */
  def apply(kind: DataType, dialect: JdbcDialect, database: String, isKey: Boolean): JdbcKind = {
    val usual = dialect.getJDBCType(kind).orElse(JdbcUtils.getCommonJDBCType(kind)).getOrElse(
      dialect.getJDBCType(StringType).orElse(JdbcUtils.getCommonJDBCType(StringType)).get)
    val of = if (isKey && kind == StringType && usual.databaseTypeDefinition != "TEXT") ShortText else usual
    new JdbcKind(
      of,
      kind match {
        case BooleanType    => (to, at, row, i) => to.setBoolean(at, row.getBoolean(i))
        case ByteType       => (to, at, row, i) => to.setInt(at, row.getByte(i).toInt)
        case ShortType      => (to, at, row, i) => to.setInt(at, row.getShort(i).toInt)
        case IntegerType    => (to, at, row, i) => to.setInt(at, row.getInt(i))
        case LongType       => (to, at, row, i) => to.setLong(at, row.getLong(i))
        case FloatType      => (to, at, row, i) => to.setFloat(at, row.getFloat(i))
        case DoubleType     => (to, at, row, i) => to.setDouble(at, row.getDouble(i))
        case _: DecimalType => (to, at, row, i) => to.setBigDecimal(at, row.getDecimal(i))
        case BinaryType     => (to, at, row, i) => to.setBytes(at, row.getAs[Array[Byte]](i))
        case TimestampType if OfInstants(database) =>
          (to, at, row, i) => to.setTimestamp(at, timestamp(row.get(i)))
        // Not in the zone of the JVM, in which an hour of each autumn comes twice and one of each spring does not.
        case TimestampType | TimestampNTZType =>
          val utc = Calendar.getInstance(TimeZone.getTimeZone("UTC"))
          (to, at, row, i) => to.setTimestamp(at, timestamp(row.get(i)), utc)
        case DateType => (to, at, row, i) => to.setDate(at, date(row.get(i)))
        case _        => (to, at, row, i) => to.setString(at, row.get(i).toString)
      })
  }

  /** A session may have the classes of `java.time`. */
  private def timestamp(value: Any): java.sql.Timestamp = value match {
    case old: java.sql.Timestamp        => old
    case local: java.time.LocalDateTime => java.sql.Timestamp.from(local.toInstant(UTC))
    case instant                        => java.sql.Timestamp.from(instant.asInstanceOf[java.time.Instant])
  }

  private def date(value: Any): java.sql.Date = value match {
    case old: java.sql.Date => old
    case day                => java.sql.Date.valueOf(day.asInstanceOf[java.time.LocalDate])
  }
}
