package windrow.spark.standalone

import com.fasterxml.jackson.databind.JsonNode
import windrow.spark.input.RowValueColumn
import windrow.{JsonReader, RowValue, SpecProblem}

/** The specification of a stream of rows, with column names that are not resolved yet.
  *
  * @param schema
  *   the schema of its rows in the syntax of CREATE TABLE: `time timestamp, price double`
  * @param time
  *   the event-time column
  * @param gap
  *   the session-gap column, if each row has its own gap
  * @param rowId
  *   the columns of source, partition and offset, by which duplicates are recognized
  */
final case class InputSpec(
    name: String,
    schema: String,
    time: Option[String],
    key: Seq[String],
    gap: Option[String],
    rowId: Option[(String, String, String)]) {

  /** Returns the problems that are known before columns are resolved. */
  def problems(needsTime: Boolean, value: RowValue): Seq[SpecProblem] = {
    val needsGap = RowValueColumn.isGap(value)
    Seq(
      Option.when(schema.isBlank)(SpecProblem("SCHEMA_NOT_STATED.STREAM")),
      Option.when(needsTime && time.isEmpty)(SpecProblem("TIME_NOT_STATED.COLUMN")),
      Option.when(needsGap && gap.isEmpty)(SpecProblem("GAP_NOT_STATED.COLUMN")),
      Option.when(!needsGap && gap.isDefined)(SpecProblem("VALUE_NOT_SUPPORTED.GAP", "gap" -> gap.mkString))).flatten
      .map(_.in(s"stream '$name'"))
  }
}

object InputSpec {

  /** Returns a problem for each name that occurs more than once. */
  def twice(what: String, names: Seq[String]): Seq[SpecProblem] =
    names.diff(names.distinct).distinct.map(name =>
      SpecProblem("NAME_TWICE.ARGUMENT", "argument" -> what, "name" -> name))

  def read(name: String, node: JsonNode, key: Seq[String]): InputSpec = InputSpec(
    name,
    node.path("schema").asText,
    text(node, "time"),
    key,
    text(node, "gap"),
    Option(node.get("row_id")).map(columns =>
      (text(columns, "source").get, text(columns, "partition").get, text(columns, "offset").get)))

  def texts(node: JsonNode, name: String): Seq[String] = JsonReader.texts(node.path(name))

  def text(node: JsonNode, name: String): Option[String] = Option(node.get(name)).filterNot(_.isNull).map(_.asText)
}
