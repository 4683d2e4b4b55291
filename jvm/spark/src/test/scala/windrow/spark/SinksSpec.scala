package windrow.spark

import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite
import windrow.spark.sinks._

/** Tests which row of a table belongs to a pane (SEMANTICS B10). */
final class SinksSpec extends AnyFunSuite {
  private def panes(columns: String) = StructType.fromDDL(s"user string, $columns, total bigint, pane string")

  test("by the key and the window, for `Over` the key and the message, or by the given columns") {
    assert(Upsert("t").columns(panes("window string")) == Seq("user", "window"))
    assert(Upsert("t").columns(panes("window string, message string")) == Seq("user", "message"))
    assert(Upsert("t", on = Seq("total")).columns(panes("window string")) == Seq("total"))
  }

  test("rows are added to a database unless upsert is set") {
    val sink = Jdbc("jdbc:h2:mem:x", "t", on = Seq("user"))
    assert(!sink.keepsLast && sink.copy(upsert = true).keepsLast)
  }
}
