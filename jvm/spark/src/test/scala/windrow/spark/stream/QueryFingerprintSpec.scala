package windrow.spark.stream

import org.apache.spark.sql.catalyst.analysis.FunctionRegistry
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.Average
import org.apache.spark.sql.catalyst.expressions.objects.Invoke
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation
import org.apache.spark.sql.types.{DoubleType, LongType, StringType, TimestampType}
import org.scalatest.funsuite.AnyFunSuite
import windrow.spark.functions.{FunctionSet, GapLayout, PythonValue}
import windrow.spark.input.AggregateParts
import windrow.spark.output.OutputKind
import windrow.spark.version.Arithmetic

/** Tests which expressions around aggregates a checkpoint records (SEMANTICS S2). */
final class QueryFingerprintSpec extends AnyFunSuite {
  private val x      = AttributeReference("x", LongType)()
  private val input  = BoundReference(0, LongType, nullable = true)
  private val (a, b) = (AttributeReference("result0", LongType)(), AttributeReference("result1", DoubleType)())

  private def of(columns: (String, Expression)*) = new QueryFingerprint(
    null,
    None,
    StreamOptions(None, None, Map.empty, None, None, "messages", OutputKind.Panes),
    AggregateParts(
      Nil,
      Nil,
      Seq(Alias(x, "input0")()),
      new FunctionSet(Seq(Arithmetic.sum(input), new Average(input)), Seq(None, None)),
      Seq(a, b),
      columns.map { case (name, value) => Alias(value, name)() },
      Map.empty,
      LocalRelation(x)))

  private def results(columns: (String, Expression)*): String = of(columns: _*).results.text

  test("result columns with their names, over the aggregates in the user's words") {
    assert(results("total" -> a) == "total: sum(x) BIGINT")
    assert(results("total" -> Arithmetic.multiply(a, Literal(2L)), "mean" -> b) ==
      "total: (sum(x) * 2L) BIGINT, mean: avg(x) DOUBLE")
  }

  test("the name by which a function was called, and the ids of columns do not matter") {
    def doubled(name: String) = {
      val sum = Arithmetic.add(a, a)
      sum.setTagValue(FunctionRegistry.FUNC_ALIAS, name)
      results("total" -> sum)
    }
    assert(doubled("plus") == doubled("add") && results("total" -> a) == results("total" -> a))
  }

  test("a Python function can change, and the expression around it cannot") {
    def python(function: String) =
      PythonValue(CreateNamedStruct(Seq(Literal(function), a)), function, Literal("a group"))
    assert(results("total" -> python("one")) == results("total" -> python("other")))
    assert(results("total" -> Arithmetic.add(python("one"), Literal(1L))) != results("total" -> python("one")))
  }

  test("the arguments of a function that Spark calls as a method of an object") {
    def text(of: Expression) =
      results("json" -> Invoke(Literal.create("an evaluator", StringType), "evaluate", StringType, Seq(of)))
    assert(text(a) != text(Arithmetic.multiply(a, Literal(2L))) && text(a).contains("(sum(x))"))
  }

  test("the zone of the session, if a result depends on it") {
    val day = Cast(Cast(a, TimestampType, Some("UTC")), StringType, Some("Asia/Tokyo"))
    assert(results("day" -> day).endsWith(", session time zone Asia/Tokyo"))
    assert(!results("total" -> a).contains("zone"))
  }

  test("the aggregates of other windows that a gap shows, by their position") {
    def gaps(last: Seq[Int], next: Seq[Int]) = of("total" -> a).ofGaps(GapLayout(Seq(LongType, DoubleType), last, next))
    assert(gaps(Seq(0), Nil).text == "sum(x) before, none after")
    assert(gaps(Seq(0, 1), Seq(1)).text == "sum(x), avg(x) before, avg(x) after")
  }
}
