package windrow.spark.stream

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias
import org.apache.spark.sql.types.CalendarIntervalType
import org.apache.spark.sql.types.StructField
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.windrow.SparkInside
import windrow._
import windrow.core.join.JoinFingerprint
import windrow.core.operator.ShardFingerprint
import windrow.core.state.FingerprintField
import windrow.core.state.SpecFingerprint
import windrow.spark.input.AggregateParts
import windrow.spark.input.JoinInput
import windrow.spark.input.PlainText

/** What a query begins a checkpoint with and must go on with: all by which what stands in the state is read, in the words of
  * the user (SEMANTICS S2).
  */
private[spark] final class QueryFingerprint(
    session: SparkSession,
    options: QueryOptions,
    parts: AggregateParts,
    shards: Int) {
  private val text   = new PlainText(parts.child.output)
  private val inputs = parts.inputs.map(_.child)

  def ofAggregates(spec: WindowOperatorSpec): SpecFingerprint = new SpecFingerprint(
    (ShardFingerprint.of(spec) :+ aggregates :+ QueryFingerprint.shards(shards)) ++ ofAll(
      ofMessages(spec.window.isOfMessage)))

  def ofFullState(spec: FullStateSpec, message: StructType): SpecFingerprint = new SpecFingerprint(
    Seq(
      QueryFingerprint.same("windows", s"full state of ${spec.window}"),
      FingerprintField("messages", PlainText.of(message), Some(s"messages ${message.simpleString}")),
      QueryFingerprint.shards(shards),
      ShardFingerprint.lateness(spec.window, spec.lateness)) ++
      ShardFingerprint.retained(spec.window, spec.draft.retention) ++ ofAll(Nil))

  def ofPolicies(spec: PolicyWindowSpec): SpecFingerprint = new SpecFingerprint(
    Seq(
      QueryFingerprint.same("policy", s"${spec.eviction}"),
      aggregates,
      QueryFingerprint.shards(shards)) ++ ofAll(ofMessages(true)))

  /** In lists without labels functions stood over numbered inputs. */
  private def aggregates: FingerprintField =
    FingerprintField("aggregates", text.functions(parts.functions, inputs), Some(s"aggregates ${parts.functions}"))

  /** Rows of messages stand in the state. */
  private def ofMessages(stand: Boolean): Seq[FingerprintField] =
    Option.when(stand)(FingerprintField("messages", PlainText.of(parts.message))).toSeq

  private def ofAll(messages: Seq[FingerprintField]): Seq[FingerprintField] = {
    val zones = PlainText.zones(parts.keys.map(_.child) ++ inputs ++ time ++ gap) ++
      gap.filter(_.dataType == CalendarIntervalType).map(_ => session.conf.get("spark.sql.session.timeZone"))
    messages ++ Seq(
      FingerprintField("keys", listed(parts.keys.map(_.child))),
      FingerprintField("inputs of aggregates", listed(inputs)),
      FingerprintField("event time", listed(time)),
      FingerprintField("identity", listed(identity))) ++
      gap.map(value => FingerprintField("session gap", text.typed(value))) ++
      Option.when(zones.nonEmpty)(FingerprintField("session time zone", zones.distinct.mkString(", ")))
  }

  private def listed(expressions: Seq[Expression]): String =
    if (expressions.isEmpty) "none" else expressions.map(text.typed).mkString(", ")

  private def time: Seq[Expression] = parts.eventTime(session, options.time).toSeq

  private def gap: Option[Expression] = options.spec.window match {
    case Some(Session(None)) => marked("gap", options.gap)
    case _                   => None
  }

  /** By which replays are known. */
  private def identity: Seq[Expression] =
    Seq("source", "partition", "offset").flatMap(name => marked(name, options.origin.get(name)))

  private def marked(mark: String, column: Option[String]): Option[Expression] =
    parts.markers.get(mark).orElse(column.flatMap(SparkInside.column(session, parts.child, _)))
}

private[spark] object QueryFingerprint {

  def ofJoin(spec: JoinSpec, shards: Int, on: Seq[String], inputs: Seq[JoinInput]): SpecFingerprint = {
    val keys = StructType(on.zip(inputs.head.keys).map { case (name, key) => StructField(name, key.dataType) })
    new SpecFingerprint(
      Seq(
        same(
          "streams",
          spec.streams.map(one => one.window.fold(one.name)(window => s"${one.name}.window($window)")).mkString(", ")),
        same("range", s"within=${spec.within}"),
        same("kind", s"how='${spec.how}'"),
        same("expectation", s"expect='${spec.expect}'"),
        FingerprintField(
          "equal fields",
          PlainText.of(keys),
          Some(s"on ${keys.map(_.dataType.catalogString).mkString(", ")}")),
        FingerprintField(
          "messages",
          inputs.map(input => s"${input.name}: ${PlainText.of(input.schema)}").mkString("; "),
          Some(inputs.map(input => s"${input.name} ${input.schema.catalogString}").mkString(", "))),
        QueryFingerprint.shards(shards)) ++ JoinFingerprint.times(spec) ++ inputs.flatMap(ofStream))
  }

  private def ofStream(input: JoinInput): Seq[FingerprintField] = {
    val (columns, marked)             = marks(input.table)
    val text                          = new PlainText(columns)
    def read(values: Seq[Expression]) = values.map(_.transform { case a: Attribute => marked.getOrElse(a, a) })
    val known                         = read(input.keys ++ Option.when(input.hasTime)(input.time))
    val zones                         = PlainText.zones(known)
    Seq(
      FingerprintField(s"what '${input.name}' is joined by", known.map(text.typed).mkString(", ")),
      FingerprintField(s"identity in '${input.name}'", read(input.sender).map(text.typed).mkString(", "))) ++
      Option.when(zones.nonEmpty)(FingerprintField(s"session time zone of '${input.name}'", zones.mkString(", ")))
  }

  /** The columns that expressions are over, and which of them builders have marked. */
  private def marks(table: LogicalPlan): (Seq[Attribute], AttributeMap[Expression]) = table match {
    case SubqueryAlias(_, child) => marks(child)
    case Project(list, child) => (
        table.output ++ child.output,
        AttributeMap(list.collect {
          case mark: Alias if mark.name.startsWith("__windrow_") => mark.toAttribute -> mark.child
        }))
    case other => (other.output, AttributeMap.empty)
  }

  private[spark] def shards(count: Int): FingerprintField = same("shards", s"spark.windrow.shards=$count")

  private[spark] def same(label: String, text: String): FingerprintField = FingerprintField(label, text, Some(text))
}
