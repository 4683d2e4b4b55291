package windrow.spark.query

import org.apache.spark.sql.catalyst.expressions.UserDefinedExpression
import org.apache.spark.sql.types.StructType
import scala.util.{Failure, Success, Try}
import windrow.CheckpointError
import windrow.spark.SparkSuite
import windrow.spark.functions.FunctionSet

/** Tests that nothing in a checkpoint is executed (SEMANTICS S12). */
final class SafeTextSuite extends SparkSuite {
  private val inputs = StructType.fromDDL("input0 STRING")

  private def resolve(function: String, result: String): FunctionSet =
    AggregateTexts(inputs, Seq(function), Seq("x" -> result)).resolve(spark.newSession(), StructType(Nil)).functions

  for (text <- Seq("max(input0)", "count(1)", "collect_list(upper(input0))", "MAX(CASE WHEN input0 > 'a' THEN 1 END)"))
    test(s"read: $text")(assert(resolve(text, "concat(CAST(result0 AS STRING), ' of it')").functions.size == 1))

  test("read: functions of functions")(resolve("collect_list(input0)", "transform(result0, x -> concat(x, '!'))"): Unit)

  private val property = "windrow.was.run"
  private val set      = s"'java.lang.System', 'setProperty', '$property', 'yes'"

  for (text <- Seq(
      s"java_method($set)",
      s"Reflect($set)",
      s"try_reflect($set)",
      s"`java_method`($set)",
      s"concat('a', transform(array(1), x -> java_method($set)))",
      "java_method('windrow.spark.query.Loaded', 'touch')",
      "from_protobuf(input0, 'A', '/etc/passwd')",
      "(SELECT max(id) FROM range(3))",
      "input0 IN (SELECT 'a')",
      "EXISTS (SELECT 1)",
      "default.mine(input0)",
      "spark_catalog.default.mine(input0)",
      "input1",
      "a_variable_of_the_session",
      "no_such_function(input0)")) {
    test(s"refused as an aggregate: $text")(refused(resolve(s"max($text)", "result0")))
    test(s"refused over aggregates: $text")(refused(resolve("max(input0)", text.replace("input0", "result0"))))
  }

  private def refused(code: => Any): Unit = {
    val wrong = intercept[CheckpointError](code)
    assert(wrong.getMessage.startsWith("[STATE_NOT_SAFE]"))
    assert(System.getProperty(property) == null)
    assert(!Loaded.isLoaded)
  }

  test("a function of the session that has the name of one of Spark's is not called") {
    val session = spark.newSession()
    session.udf.register("upper", (_: String) => "of the session")
    val texts = AggregateTexts(inputs, Seq("max(upper(input0))"), Seq("x" -> "result0"))
    Try(texts.resolve(session, StructType(Nil))) match { // Spark's versions differ in the function that they choose
      case Success(read)  => assert(!read.functions.functions.exists(_.exists(_.isInstanceOf[UserDefinedExpression])))
      case Failure(wrong) => refused(throw wrong)
    }
  }

  test("a type does not name a class") {
    val point = """{"type":"udt","class":"windrow.spark.query.Loaded","pyClass":null,"sqlType":"double"}"""
    refused(SafeText.typeOf(point))
    refused(SafeText.typeOf(
      s"""{"type":"struct","fields":[{"name":"a","type":{"type":"array","elementType":$point,"containsNull":true},""" +
        """"nullable":true,"metadata":{}}]}"""))
    assert(SafeText.typeOf(inputs.json) == inputs)
  }
}

/** Records that the class was loaded. */
object Loaded {
  @volatile private[query] var isLoaded = false
}

final class Loaded {
  Loaded.isLoaded = true
}
