package windrow.spark.ui

import org.scalatest.funsuite.AnyFunSuite
import scala.xml.XML

final class ChartSpec extends AnyFunSuite {

  private def heights(chart: Chart, labels: Seq[String]): Seq[Double] =
    (XML.loadString(chart.drawn(labels).toString) \\ "rect").map(bar => (bar \ "@height").text.toDouble)

  test("bars are as high as their share of the highest sum") {
    val chart = Chart(
      "rows",
      Seq(Series("a", Chart.Blue, Seq(Some(30L), None)), Series("b", Chart.Red, Seq(Some(10L), Some(20L)))),
      isStacked = true,
      _.toString)
    assert(heights(chart, Seq("x", "y")) == Seq(82.5, 27.5, 55.0)) // the picture is 110 high
  }

  test("names are text, whatever they contain") {
    val name = "<script>alert(\"1\")</script>&'\u0000"
    val drawn =
      Chart(name, Seq(Series(name, Chart.Blue, Seq(Some(1L)))), isStacked = false, _.toString).drawn(Seq(name))
    assert(!drawn.toString.contains("<script"))
    assert((XML.loadString(drawn.toString) \\ "title").text.contains("<script>alert(\"1\")</script>&'"))
  }

  test("a picture without values is empty") {
    val none = Chart("rows", Seq(Series("a", Chart.Blue, Seq(None))), isStacked = true, _.toString)
    assert(heights(none, Seq("x")).isEmpty)
  }

  test("an error is shortened to its cause") {
    val trace =
      "py4j.Py4JException: failed\nTraceback (most recent call last):\n  File \"a.py\"\nValueError: full\n\tat b.C"
    assert(FailureLine(trace) == "ValueError: full")
    assert(FailureLine("a.B: no\n\tat c.D: [SPEC_CHANGED] The query differs") == "[SPEC_CHANGED] The query differs")
    assert(FailureLine("a.B: no\n\tat c.D") == "a.B: no")
  }
}
