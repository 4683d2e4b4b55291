package windrow.spark.join

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, SubqueryAlias}
import org.apache.spark.sql.types.{StructField, StructType}
import windrow.JoinSpec
import windrow.core.join.JoinFingerprint
import windrow.core.state.{FingerprintField, SpecFingerprint}
import windrow.spark.input.{Marks, PlainText, StreamTable}
import windrow.spark.stream.QueryFingerprint

/** The properties of a join that a checkpoint records and that may not change; see
  * [[windrow.spark.stream.QueryFingerprint]].
  */
private[join] object JoinQueryFingerprint {

  def apply(spec: JoinSpec, shards: Int, on: Seq[String], inputs: Seq[StreamTable]): SpecFingerprint = {
    val keys = StructType(on.zip(inputs.head.keys).map { case (name, key) => StructField(name, key.dataType) })
    new SpecFingerprint(
      Seq(
        FingerprintField(
          "streams",
          spec.streams.map(one => one.window.fold(one.name)(window => s"${one.name}.window($window)")).mkString(", ")),
        FingerprintField("range", s"within=${JoinFingerprint.range(spec.within)}"),
        FingerprintField("kind", s"how='${spec.how}'"),
        FingerprintField("expectation", s"expect='${JoinFingerprint.expected(spec.expect)}'"),
        FingerprintField("equal fields", PlainText.of(keys)),
        FingerprintField(
          "messages",
          inputs.map(input => s"${input.name}: ${PlainText.of(input.schema)}").mkString("; ")),
        QueryFingerprint.shards(shards)) ++ JoinFingerprint.emission(spec) ++ JoinFingerprint.times(
        spec) ++ inputs.flatMap(ofStream))
  }

  private def ofStream(input: StreamTable): Seq[FingerprintField] = {
    val (columns, marked)             = marks(input.table)
    val text                          = new PlainText(columns)
    def read(values: Seq[Expression]) = values.map(_.transform { case a: Attribute => marked.getOrElse(a, a) })
    val known                         = read(input.keys ++ Option.when(input.hasTime)(input.time))
    val zones                         = PlainText.zones(known)
    Seq(
      FingerprintField(s"what '${input.name}' is joined by", known.map(text.typed).mkString(", ")),
      FingerprintField(
        s"identity in '${input.name}'",
        read(input.source.toSeq ++ input.sender).map(text.typed).mkString(", "))) ++
      Option.when(zones.nonEmpty)(FingerprintField(s"session time zone of '${input.name}'", zones.mkString(", ")))
  }

  /** Returns the columns under expressions, and those of them that builders have marked. */
  private def marks(table: LogicalPlan): (Seq[Attribute], AttributeMap[Expression]) = table match {
    case SubqueryAlias(_, child) => marks(child)
    case Project(list, child) => (
        table.output ++ child.output,
        AttributeMap(list.collect {
          case mark: Alias if mark.name.startsWith(Marks.Prefix) => mark.toAttribute -> mark.child
        }))
    case other => (other.output, AttributeMap.empty)
  }
}
