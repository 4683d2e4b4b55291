package windrow.spark.wire

import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.analysis.TableFunctionRegistry.TableFunctionBuilder
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.{StringType, StructField, StructType}
import org.apache.spark.sql.windrow.SparkInside
import windrow.explain.Explanation
import windrow.spark.arguments.TableArguments
import windrow.spark.pack.ShuffleText
import windrow.{JsonReader, SpecError, SpecProblem}

/** Table functions that check a spec, with the JSON of `_windrow_apply`: `_windrow_check(spec => JSON)` returns its
  * problems, one in each row. `_windrow_explain(TABLE(...), spec => JSON)` explains a query, with one line in each row.
  */
private[spark] object SpecFunctions {
  val All: Seq[(String, TableFunctionBuilder)] = Seq(
    "_windrow_check" -> (arguments => {
      val found = inWords(spec("_windrow_check", arguments)).left.getOrElse(Nil)
      rows(found.map(problem => Row(problem.code, problem.text)), "code", "text")
    }),
    "_windrow_explain" -> (arguments => {
      val (tables, rest) = arguments.partition(_.isInstanceOf[FunctionTableSubqueryArgumentExpression])
      val node           = spec("_windrow_explain", rest)
      val explanation    = inWords(node).fold(found => throw SpecError("the spec", found), identity)
      val query          = TableArguments.read("_windrow_explain", tables, Nil).only("_windrow_explain")
      rows(ShuffleText.described(explanation, query).linesIterator.map(Row(_)).toSeq, "line")
    }))

  private def inWords(node: ObjectNode): Either[Seq[SpecProblem], String] =
    if (SeveralJson.isJoin(node))
      SeveralJson.readJoin(node).map { case (one, watermarks) =>
        val clocks     = watermarks.map { case (name, mark) => name -> mark.clock }
        val conditions = JsonReader.texts(node.path("input").path("conditions"))
        Explanation(one.spec, one.on, clocks, one.behind, conditions)
      }
    else StreamJson(node).map { case (operator, stream) =>
      val shown = node.path("stream").path("shown").asText(s"stream '${stream.name}'")
      operator.explanation(shown, stream.clock)
    }

  private def spec(function: String, arguments: Seq[Expression]): ObjectNode = arguments match {
    case Seq(NamedArgumentExpression("spec", json)) if json.foldable && json.dataType == StringType =>
      ApplyFunction.parse(function, json.eval().toString)
    case _ => throw SpecError(function, Seq(SpecProblem("SPEC_MISSING")))
  }

  private def rows(all: Seq[Row], columns: String*): LogicalPlan =
    SparkInside.table(StructType(columns.map(StructField(_, StringType, nullable = false))), all)
}
