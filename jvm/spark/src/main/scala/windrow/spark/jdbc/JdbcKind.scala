package windrow.spark.jdbc

import java.io.StringReader
import java.sql.PreparedStatement
import java.sql.SQLDataException
import java.time.ZoneOffset.UTC
import java.util.Calendar
import java.util.TimeZone
import org.apache.spark.sql.execution.datasources.jdbc.JdbcUtils
import org.apache.spark.sql.jdbc.JdbcDialect
import org.apache.spark.sql.jdbc.JdbcType
import org.apache.spark.sql.types._

/** What a column is in a database, as Spark's own `jdbc` has it, and how a value is put there.
  *
  * @param name
  *   of the type, in the database's SQL
  */
private[jdbc] final class JdbcKind(val name: String, nullType: Int, put: (PreparedStatement, Int, Any) => Unit) {

  /** @param at
    *   of the statement's parameters, from 1
    */
  def set(statement: PreparedStatement, at: Int, value: Any): Unit =
    if (value == null) statement.setNull(at, nullType) else put(statement, at, value)
}

private[jdbc] object JdbcKind {

  /** Their TIMESTAMP is an instant, told in the zone of the session, which the driver knows; elsewhere it has no zone. */
  private val OfInstants = Set("mysql", "mariadb", "oracle")
  private val ShortText  = JdbcType("VARCHAR(700)", java.sql.Types.VARCHAR)

  /** Their times have whole seconds unless more is asked for. */
  private val WithMicros = Set("mysql", "mariadb")
  private val Times      = Set("TIMESTAMP", "DATETIME")

  private val WithoutNaN     = Set("sqlite", "mysql", "mariadb")
  private val LongestOfDerby = 32672

  /** @param database
    *   as the address calls it, `postgresql`
    * @param isKey
    *   rows are found by it, which texts without end are not in every database
    */
  def apply(kind: DataType, dialect: JdbcDialect, database: String, isKey: Boolean): JdbcKind = {
    val usual = dialect.getJDBCType(kind).orElse(JdbcUtils.getCommonJDBCType(kind)).getOrElse(
      dialect.getJDBCType(StringType).orElse(JdbcUtils.getCommonJDBCType(StringType)).get)
    val of   = if (isKey && kind == StringType && usual.databaseTypeDefinition != "TEXT") ShortText else usual
    val name = of.databaseTypeDefinition
    new JdbcKind(
      if (WithMicros(database) && Times(name)) s"$name(6)" else name,
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
        // Not in the zone of the JVM, in which an hour of each autumn comes twice and one of each spring does not.
        case TimestampType | TimestampNTZType =>
          val utc = Calendar.getInstance(TimeZone.getTimeZone("UTC"))
          (to, at, value) => to.setTimestamp(at, timestamp(database, value), utc)
        case DateType => (to, at, value) => to.setDate(at, date(database, value))
        case _        => (to, at, value) => setText(to, at, value.toString)
      })
  }

  /** Derby takes a long text only as a stream. */
  def setText(statement: PreparedStatement, at: Int, text: String): Unit =
    if (text.length <= LongestOfDerby) statement.setString(at, text)
    else statement.setCharacterStream(at, new StringReader(text), text.length)

  /** SQLite stores null in the place of NaN, MariaDB's driver writes a word that the server takes for a column. */
  private def number[T](database: String, value: T): T = value match {
    case double: Double if WithoutNaN(database) && double.isNaN =>
      throw new SQLDataException(s"$database has no NaN", "22003")
    case float: Float if WithoutNaN(database) && float.isNaN =>
      throw new SQLDataException(s"$database has no NaN", "22003")
    case _ => value
  }

  /** A session may have the classes of `java.time`. */
  private def timestamp(database: String, value: Any): java.sql.Timestamp = value match {
    case old: java.sql.Timestamp        => inYears(database, old)(_.toInstant.atZone(UTC).getYear)
    case local: java.time.LocalDateTime => timestamp(database, local.toInstant(UTC))
    case instant => timestamp(database, java.sql.Timestamp.from(instant.asInstanceOf[java.time.Instant]))
  }

  private def date(database: String, value: Any): java.sql.Date = value match {
    case old: java.sql.Date => inYears(database, old)(_.toLocalDate.getYear)
    case day                => date(database, java.sql.Date.valueOf(day.asInstanceOf[java.time.LocalDate]))
  }

  /** MariaDB accepts a year outside its range without an error if a batch has several rows. */
  private def inYears[T](database: String, value: T)(year: T => Int): T =
    if (WithMicros(database) && (year(value) < 1 || year(value) > 9999))
      throw new SQLDataException(s"$database has the years 1 to 9999", "22007")
    else value
}
