package windrow.spark.input

import org.apache.spark.sql.catalyst.analysis.{caseInsensitiveResolution, caseSensitiveResolution}
import org.scalatest.funsuite.AnyFunSuite

/** Tests that names are compared as the session compares them. */
final class ColumnNamesSpec extends AnyFunSuite {
  private val resolvers = Seq(caseInsensitiveResolution, caseSensitiveResolution)

  test("names that stand for more than one column") {
    def twice(names: String*) = resolvers.map(ColumnNames.twice(_, "panes", names, "rename one").map(_.code).size)
    assert(twice("a", "b", "A") == Seq(1, 0) && twice("a", "b", "a") == Seq(1, 1))
  }

  test("names that windrow gives") {
    def taken(name: String) = resolvers.map(ColumnNames.taken(_, Seq("a", name), Seq("window", "pane")).size)
    assert(taken("Window") == Seq(1, 0) && taken("pane") == Seq(1, 1) && taken("b") == Seq(0, 0))
  }
}
