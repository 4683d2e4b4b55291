package windrow

import org.scalatest.funsuite.AnyFunSuite

final class ErrorConditionsSuite extends AnyFunSuite {
  test("classes without the messages of errors name the missing file") {
    val error = intercept[IllegalStateException](ErrorConditions.read(null))
    assert(error.getMessage.contains("error-conditions.properties is not on the class path"))
  }

  test("a message is followed by its remedy and a pointer to the page of errors") {
    assert(ErrorConditions.message("NOT_KEYED", "operator" -> "'o'") == "[NOT_KEYED] The only partition of 'o' " +
      "cannot be evicted, because it does not have a key. Give the operator a key. See docs/errors.md#not_keyed.")
  }

  test("a value that ends with a stop is not followed by another") {
    val why = ErrorConditions.text("VALUE_NOT_UNDERSTOOD", "why" -> "It is a file.")
    assert(why == "It is a file. See docs/errors.md#value_not_understood.")
  }
}
