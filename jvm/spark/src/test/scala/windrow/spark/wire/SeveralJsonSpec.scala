package windrow.spark.wire

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ObjectNode
import org.scalatest.funsuite.AnyFunSuite

final class SeveralJsonSpec extends AnyFunSuite {

  test("a column by which streams are joined is set once") {
    def codes(on: String) = {
      val text =
        s"""{"operator": "join", "streams": [{"name": "a"}, {"name": "b"}], "within": [0, 5], "lateness": 0,
           |"how": "inner", "bounds": "[]", "input": {"on": $on}}""".stripMargin
      SeveralJson.readJoin(new ObjectMapper().readTree(text).asInstanceOf[ObjectNode]).left.getOrElse(Nil).map(_.code)
    }
    assert(codes("""["id", "day"]""").isEmpty && codes("""["id", "day", "id"]""") == Seq("NAME_TWICE"))
  }
}
