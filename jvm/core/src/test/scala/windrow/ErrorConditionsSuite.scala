package windrow

import org.scalatest.funsuite.AnyFunSuite

final class ErrorConditionsSuite extends AnyFunSuite {
  test("classes without the texts of errors say what is missing") {
    val error = intercept[IllegalStateException](ErrorConditions.read(null))
    assert(error.getMessage.contains("error-conditions.properties is not on the class path"))
  }
}
