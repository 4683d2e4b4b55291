package windrow.spark.jdbc

import java.lang.reflect.Proxy
import java.sql.{PreparedStatement, Timestamp}
import java.time.{Instant, LocalDateTime}
import java.util.Calendar
import org.apache.spark.sql.jdbc.JdbcDialects
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

final class JdbcKindSpec extends AnyFunSuite {

  /** Returns the arguments that a statement receives for a value: the value, and the time zone of its conversion. */
  private def told(database: String, kind: DataType, value: Any): Seq[Any] = {
    var seen = Seq.empty[Any]
    val statement = Proxy.newProxyInstance(
      getClass.getClassLoader,
      Array(classOf[PreparedStatement]),
      (_, _, said) => { seen = said.toSeq.drop(1); null }).asInstanceOf[PreparedStatement]
    JdbcKind(kind, JdbcDialects.get(s"jdbc:$database:"), database, isKey = false).set(statement, 1, value)
    seen.map {
      case zoned: Calendar => zoned.getTimeZone.getID
      case other           => other
    }
  }

  private val instant = Instant.parse("2024-03-31T02:30:00.000001Z")

  test("SEMANTICS B10: times are those of UTC where a column has no zone") {
    for (database <- Seq("derby", "postgresql", "sqlite", "sqlserver", "mysql", "mariadb")) {
      assert(told(database, TimestampType, instant) == Seq(Timestamp.from(instant), "UTC"), database)
      assert(told(database, TimestampType, Timestamp.from(instant)) == Seq(Timestamp.from(instant), "UTC"), database)
    }
    assert(told("oracle", TimestampType, instant) == Seq(Timestamp.from(instant)))
  }

  test("SEMANTICS B10: a time without a zone is unchanged, even in an hour that the JVM's zone does not have") {
    val local = LocalDateTime.parse("2024-03-31T02:30:00.000001")
    for (database <- Seq("derby", "mysql"))
      assert(told(database, TimestampNTZType, local) == Seq(Timestamp.from(instant), "UTC"), database)
  }
}
