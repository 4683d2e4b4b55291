package windrow.spark.input

import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression, Literal, StringRPad}
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

/** Tests which columns can be keys (SEMANTICS W2, R35). */
final class KeyCheckSpec extends AnyFunSuite {

  private def column(of: DataType, name: String = "k") = AttributeReference(name, of)()

  private def refused(key: Expression): Option[String] = KeyCheck.grouped(Seq("k" -> key)).map(_.code).headOption

  private def of(ddl: String): DataType = StructType.fromDDL(s"k $ddl").head.dataType

  test("types with an order, nested types, and intervals") {
    for (ddl <- Seq("string", "interval", "array<interval>", "struct<a: int, b: interval>", "map<int, string>"))
      assert(refused(column(of(ddl))).isEmpty, ddl)
    for (ddl <- Seq("variant", "array<variant>", "struct<a: int, b: variant>", "map<int, variant>"))
      assert(refused(column(of(ddl))) == Some("KEY_NOT_COMPARABLE"), ddl)
  }

  test("texts that are equal without being the same are none") {
    assert(refused(column(of("string collate UTF8_LCASE"))) == Some("KEY_NOT_BINARY"))
  }

  test("a nondeterministic key is rejected, because Spark computes it before") {
    assert(refused(column(LongType, "_nondeterministic")) == Some("KEY_NOT_DETERMINISTIC"))
  }

  test("SEMANTICS R35: shorter texts of CHAR are padded, where all keys are columns") {
    def char(length: Int) = AttributeReference(
      "k",
      StringType,
      metadata = CharVarcharUtils.replaceCharVarcharWithStringInSchema(
        StructType.fromDDL(s"k char($length)")).head.metadata)()
    def padded(keys: Expression*) = KeyCheck.comparable(keys).map(_.exists(_.isInstanceOf[StringRPad]))
    assert(padded(char(3), char(5)) == Seq(true, false))
    assert(padded(char(3), Literal("a")) == Seq(false, false))
  }
}
