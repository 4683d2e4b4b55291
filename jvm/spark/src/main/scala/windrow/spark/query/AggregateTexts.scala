package windrow.spark.query

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.sql.windrow.SparkInside
import org.apache.spark.sql.{Column, SparkSession}
import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal
import windrow.JsonReader
import windrow.spark.functions.FunctionSet
import windrow.spark.input.AggregateParts

/** The aggregates of a query as SQL over numbered columns, so that Spark's parser can restore them without other
  * information.
  *
  * @param inputs
  *   the inputs of the functions: `input0`, `input1`, …
  * @param functions
  *   the functions, over the inputs
  * @param results
  *   name and text of each aggregate, over `key0`, …, `result0`, …
  */
final case class AggregateTexts(inputs: StructType, functions: Seq[String], results: Seq[(String, String)]) {

  /** Parses and resolves the texts.
    *
    * @param keys
    *   the key columns of the state
    */
  def resolve(session: SparkSession, keys: StructType): RestoredAggregates = {
    val relation = LocalRelation(DataTypeUtils.toAttributes(inputs))
    val columns = functions.zipWithIndex.map { case (text, i) =>
      SafeText.column(session, text, inputs.fieldNames.toSeq).as(s"result$i")
    }
    val described = SafeText.checked(SparkInside.frame(session, relation).agg(columns.head, columns.tail: _*))
    val read      = AggregateParts.of(described)._2.get.functions
    val values = AggregateTexts.numbered("key", keys.map(_.dataType)) ++
      AggregateTexts.numbered("result", read.resultTypes)
    val shown = SafeText.checked(SparkInside.frame(session, LocalRelation(values)).select(results.map {
      case (name, text) => SafeText.column(session, text, values.map(_.name)).as(name): Column
    }: _*))
    RestoredAggregates(read, values.take(keys.size), values.drop(keys.size), AggregateTexts.listOf(shown))
  }
}

/** Restored aggregates.
  *
  * @param keys
  *   represent the key columns
  * @param values
  *   represent the results of the functions
  * @param results
  *   the aggregates as users see them, over both
  */
final case class RestoredAggregates(
    functions: FunctionSet,
    keys: Seq[AttributeReference],
    values: Seq[AttributeReference],
    results: Seq[NamedExpression])

object AggregateTexts {

  /** Returns the texts, or Left with all of them if Spark would restore other aggregates from them. */
  def of(session: SparkSession, parts: AggregateParts): Either[String, AggregateTexts] = {
    val inputs = numbered("input", parts.inputs.map(_.dataType), parts.inputs.map(_.nullable))
    val functions =
      parts.functions.functions.map(f => textOf(f.transform { case BoundReference(i, _, _) => inputs(i) }))
    val here = AttributeMap(parts.keys.map(_.toAttribute).zip(numbered("key", parts.keys.map(_.dataType))) ++
      parts.functionResults.zip(numbered("result", parts.functionResults.map(_.dataType))))
    val results = parts.results.map { column =>
      column.name -> SparkInside.unnamed(column).transform { case a: Attribute => here.getOrElse(a, a) }.sql
    }
    val texts = AggregateTexts(
      StructType(inputs.map(a => StructField(a.name, a.dataType, a.nullable))),
      functions,
      results)
    Either.cond(areRestored(session, texts, parts), texts, (functions ++ results.map(_._2)).mkString(", "))
  }

  /** Shows a function including its precision, which Spark's own text omits. */
  private def textOf(function: Expression): String = {
    val numbers = function.productIterator.collect { case number: Double => s"${number}D" }.toSeq
    if (numbers.isEmpty) function.sql
    else (function.children.map(_.sql) ++ numbers).mkString(s"${function.prettyName}(", ", ", ")")
  }

  /** Whether Spark restores the same aggregates from the texts. */
  private def areRestored(session: SparkSession, texts: AggregateTexts, parts: AggregateParts): Boolean =
    try {
      val keys = StructType(parts.keys.map(key => StructField(key.name, key.dataType)))
      val read = texts.resolve(session, keys)
      read.functions.functions.map(_.toString) == parts.functions.functions.map(_.toString) &&
      read.results.map(column => (column.name, column.dataType)) ==
        parts.results.map(column => (column.name, column.dataType))
    } catch { case NonFatal(_) => false }

  private def numbered(
      name: String,
      types: Seq[org.apache.spark.sql.types.DataType],
      nullable: Int => Boolean = _ => true): Seq[AttributeReference] =
    types.zipWithIndex.map { case (of, i) => AttributeReference(s"$name$i", of, nullable(i))() }

  private def listOf(plan: LogicalPlan): Seq[NamedExpression] = plan match {
    case Project(list, _) => list
    case other            => other.output
  }

  private[query] def write(texts: AggregateTexts, node: ObjectNode): Unit = {
    node.put("inputs", texts.inputs.json)
    DescriptorJson.texts(node, "functions", texts.functions)
    val results = node.putArray("results")
    texts.results.foreach { case (name, text) => results.addObject().put("name", name).put("text", text) }
  }

  private[query] def read(node: JsonNode): AggregateTexts = AggregateTexts(
    DescriptorJson.struct(node.get("inputs")),
    JsonReader.texts(node.get("functions")),
    node.get("results").elements.asScala.map(one => one.get("name").asText -> one.get("text").asText).toSeq)
}
