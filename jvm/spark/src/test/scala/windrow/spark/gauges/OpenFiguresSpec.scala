package windrow.spark.gauges

import org.scalatest.funsuite.AnyFunSuite

final class OpenFiguresSpec extends AnyFunSuite {

  test("SEMANTICS S16: open windows are those reported, or the earlier ones with the changes") {
    assert(OpenFigures(Some(7), Some(3)).after(5, Some(1)) == Some(7))
    assert(OpenFigures(None, Some(3)).after(5, Some(1)) == Some(4))
    assert(OpenFigures(None, Some(3)).after(5, None).isEmpty && OpenFigures(None, None).after(5, Some(1)).isEmpty)
  }

  test("SEMANTICS S16: before the first batch there were none") {
    assert(OpenFigures(None, Some(3)).after(0, None) == Some(3))
  }
}
