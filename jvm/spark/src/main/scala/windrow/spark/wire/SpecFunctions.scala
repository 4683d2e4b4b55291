package windrow.spark.wire

import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.TableFunctionRegistry.TableFunctionBuilder
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan}
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String
import scala.jdk.CollectionConverters._
import windrow.explain.Explanation
import windrow.spark.arguments.TableArguments
import windrow.spark.pack.Travel
import windrow.{SpecError, SpecProblem}

/** Table functions that check a spec, with the JSON of `_windrow_apply`: `_windrow_check(spec => JSON)` returns its
  * problems, one in each row. `_windrow_explain(TABLE(...), spec => JSON)` explains a query, with one line in each row.
  */
private[spark] object SpecFunctions {
  val All: Seq[(String, TableFunctionBuilder)] = Seq(
    "_windrow_check" -> (arguments => {
      val found = inWords(spec("_windrow_check", arguments)).left.getOrElse(Nil)
      rows(found.map(problem => Seq(problem.code, problem.text)), "code", "text")
    }),
    "_windrow_explain" -> (arguments => {
      val (tables, rest) = arguments.partition(_.isInstanceOf[FunctionTableSubqueryArgumentExpression])
      val node           = spec("_windrow_explain", rest)
      val explanation    = inWords(node).fold(found => throw SpecError("the spec", found), identity)
      val query          = TableArguments.read("_windrow_explain", tables, Nil).only("_windrow_explain")
      rows(Travel.described(explanation, query).linesIterator.map(Seq(_)).toSeq, "line")
    }))

  private def inWords(node: ObjectNode): Either[Seq[SpecProblem], String] =
    if (SeveralJson.isJoin(node))
      SeveralJson.readJoin(node).map { case (one, watermarks) =>
        val clocks     = watermarks.map { case (name, mark) => name -> mark.clock }
        val conditions = node.path("input").path("conditions").elements.asScala.map(_.asText).toSeq
        Explanation(one.spec, one.on, clocks, one.behind, conditions)
      }
    else StreamJson(node).map { case (operator, stream) =>
      val shown = node.path("stream").path("shown").asText(s"stream '${stream.name}'")
      operator.explanation(shown, stream.clock)
    }

  private def spec(function: String, arguments: Seq[Expression]): ObjectNode = arguments match {
    case Seq(NamedArgumentExpression("spec", json)) if json.foldable && json.dataType == StringType =>
      Apply.parse(function, json.eval().toString)
    case _ => throw SpecError(function, Seq(SpecProblem("SPEC_MISSING")))
  }

  private def rows(all: Seq[Seq[String]], columns: String*): LogicalPlan = LocalRelation(
    columns.map(AttributeReference(_, StringType, nullable = false)()),
    all.map(row => InternalRow.fromSeq(row.map(UTF8String.fromString))))
}
