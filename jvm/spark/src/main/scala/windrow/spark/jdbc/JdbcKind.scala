package windrow.spark.jdbc

import java.io.StringReader
import java.sql.{PreparedStatement, SQLDataException}
import java.time.ZoneOffset.UTC
import java.util.{Calendar, TimeZone}
import org.apache.spark.sql.execution.datasources.jdbc.JdbcUtils
import org.apache.spark.sql.jdbc.{JdbcDialect, JdbcType}
import org.apache.spark.sql.types._

/** The type of a column in a database, as in Spark's own `jdbc` format, and how to set a value.
  *
  * @param name
  *   the type's name in the database's SQL
  */
private[jdbc] final class JdbcKind(val name: String, nullType: Int, put: (PreparedStatement, Int, Any) => Unit) {

  /** Sets a parameter of a statement.
    *
    * @param at
    *   the position of the parameter, from 1
    */
  def set(statement: PreparedStatement, at: Int, value: Any): Unit =
    if (value == null) statement.setNull(at, nullType) else put(statement, at, value)
}

private[jdbc] object JdbcKind {

  /** Databases whose driver converts a TIMESTAMP to the time zone of its session. In other databases a TIMESTAMP lacks a
    * time zone, or the session of [[JdbcSession]] is in UTC.
    */
  private val OfInstants = Set("oracle")
  private val ShortText  = JdbcType("VARCHAR(700)", java.sql.Types.VARCHAR)

  private val Times = Set("TIMESTAMP", "DATETIME")

  private val WithoutNaN     = Set("sqlite", "mysql", "mariadb")
  private val LongestOfDerby = 32672

  /** Returns the type of a column.
    *
    * @param database
    *   the database's name in the URL, `postgresql`
    * @param isKey
    *   whether rows are found by the column, which not every database supports for strings of unlimited length
    */
  def apply(kind: DataType, dialect: JdbcDialect, database: String, isKey: Boolean): JdbcKind = {
    val usual = dialect.getJDBCType(kind).orElse(JdbcUtils.getCommonJDBCType(kind)).getOrElse(
      dialect.getJDBCType(StringType).orElse(JdbcUtils.getCommonJDBCType(StringType)).get)
    val of   = if (isKey && kind == StringType && usual.databaseTypeDefinition != "TEXT") ShortText else usual
    val name = of.databaseTypeDefinition
    new JdbcKind(
      // By default their precision is one second, and with old settings a TIMESTAMP stores the current time for null.
      if (JdbcSession.isOfMySql(database) && Times(name)) s"$name(6) NULL" else name,
      of.jdbcNullType,
      kind match {
        case BooleanType    => (to, at, value) => to.setBoolean(at, value.asInstanceOf[Boolean])
        case ByteType       => (to, at, value) => to.setInt(at, value.asInstanceOf[Byte].toInt)
        case ShortType      => (to, at, value) => to.setInt(at, value.asInstanceOf[Short].toInt)
        case IntegerType    => (to, at, value) => to.setInt(at, value.asInstanceOf[Int])
        case LongType       => (to, at, value) => to.setLong(at, value.asInstanceOf[Long])
        case FloatType      => (to, at, value) => to.setFloat(at, number(database, value.asInstanceOf[Float]))
        case DoubleType     => (to, at, value) => to.setDouble(at, number(database, value.asInstanceOf[Double]))
        case _: DecimalType => (to, at, value) => to.setBigDecimal(at, value.asInstanceOf[java.math.BigDecimal])
        case BinaryType     => (to, at, value) => to.setBytes(at, value.asInstanceOf[Array[Byte]])
        case TimestampType if OfInstants(database) =>
          (to, at, value) => to.setTimestamp(at, timestamp(database, value))
        // Uses UTC, because in the zone of the JVM one hour of each fall occurs twice and one of each spring is
        // missing.
        case TimestampType | TimestampNTZType =>
          val utc = Calendar.getInstance(TimeZone.getTimeZone("UTC"))
          (to, at, value) => to.setTimestamp(at, timestamp(database, value), utc)
        case DateType => (to, at, value) => to.setDate(at, date(database, value))
        case _        => (to, at, value) => setText(to, at, value.toString)
      })
  }

  /** Sets a string. Derby accepts a long one only as a stream. */
  def setText(statement: PreparedStatement, at: Int, text: String): Unit =
    if (text.length <= LongestOfDerby) statement.setString(at, text)
    else statement.setCharacterStream(at, new StringReader(text), text.length)

  /** Rejects NaN if the database cannot store it: SQLite stores null instead, and MariaDB's driver writes a word that
    * the server interprets as a column.
    */
  private def number[T](database: String, value: T): T = value match {
    case double: Double if WithoutNaN(database) && double.isNaN =>
      throw new SQLDataException(s"$database does not support NaN", "22003")
    case float: Float if WithoutNaN(database) && float.isNaN =>
      throw new SQLDataException(s"$database does not support NaN", "22003")
    case _ => value
  }

  /** Converts a timestamp. A session may use the classes of `java.time`. */
  private def timestamp(database: String, value: Any): java.sql.Timestamp = value match {
    case old: java.sql.Timestamp        => inYears(database, old)(_.toInstant.atZone(UTC).getYear)
    case local: java.time.LocalDateTime => timestamp(database, local.toInstant(UTC))
    case instant => timestamp(database, java.sql.Timestamp.from(instant.asInstanceOf[java.time.Instant]))
  }

  private def date(database: String, value: Any): java.sql.Date = value match {
    case old: java.sql.Date => inYears(database, old)(_.toLocalDate.getYear)
    case day                => date(database, java.sql.Date.valueOf(day.asInstanceOf[java.time.LocalDate]))
  }

  /** Checks the range of years. MariaDB accepts a year outside its range without an error if a batch has several rows.
    */
  private def inYears[T](database: String, value: T)(year: T => Int): T =
    if (JdbcSession.isOfMySql(database) && (year(value) < 1 || year(value) > 9999))
      throw new SQLDataException(s"$database supports only the years 1 to 9999", "22007")
    else value
}
