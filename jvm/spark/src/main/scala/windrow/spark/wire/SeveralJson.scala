package windrow.spark.wire

import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import scala.jdk.CollectionConverters._
import windrow._
import windrow.spark.cogroup.CoGroupPlan
import windrow.spark.join.{JoinChains, JoinOptions, JoinOutputs}
import windrow.spark.output.OutputKind
import windrow.spark.watermark.EventWatermark

/** Reads the JSON of operators over several streams. Each stream is a table with marked columns. */
private[wire] object SeveralJson {

  def isJoin(node: ObjectNode): Boolean = node.path("operator").asText == "join"

  def join(session: SparkSession, node: ObjectNode, tables: Seq[LogicalPlan]): LogicalPlan = {
    val (options, watermarks) = readJoin(node).fold(found => throw SpecError("a join", found), identity)
    JoinChains.marked(session, options, watermarks, tables)
  }

  /** Reads the spec of a join (see [[OperatorJson]]), with the additional fields `output` and
    * `input: {"on": [names], "invalid"?, "processing_time_watermark"?, "streams": {"<stream>": {…}}}`, with the watermark of each stream as
    * [[StreamJson.watermark]] reads it.
    *
    * @return
    *   the options, and the watermarks that Windrow sets, by the name of the stream
    */
  def readJoin(node: ObjectNode): Either[Seq[SpecProblem], (JoinOptions, Map[String, EventWatermark])] = {
    val spec   = node.deepCopy()
    val input  = Option(spec.remove("input"))
    val output = Option(spec.remove("output")).fold("rows")(_.asText)
    val part =
      OutputKind.OfRows.find(_.toString == output).toRight(SpecProblem.unknown("output", output, OutputKind.OfRows))
    val written = input.toSeq.flatMap(node => JsonReader.texts(node.path("on")))
    val on      = written.map(JoinOutputs.unquoted)
    val marks = input.toSeq.flatMap(_.path("streams").properties.asScala).map(stream =>
      stream.getKey -> StreamJson.watermark(stream.getValue))
    val invalid = input.flatMap(node => Option(node.get("invalid"))).map(StreamJson.invalid)
    val behind  = input.flatMap(StreamJson.processingTimeDelay)
    val read    = OperatorJson.read(spec, Map.empty)
    val twice =
      on.diff(on.distinct).distinct.map(name => SpecProblem("NAME_TWICE.ARGUMENT", "name" -> name, "argument" -> "on"))
    val found = read.left.getOrElse(Nil) ++ twice ++ part.left.toSeq ++ marks.flatMap(_._2.left.getOrElse(Nil)) ++
      invalid.flatMap(_.left.toOption) ++ behind.flatMap(_.left.toOption)
    (read, part) match {
      case (Right(CheckedSpec.Join(join)), Right(asked)) if found.isEmpty =>
        val watermarks = marks.flatMap { case (name, mark) => mark.toOption.flatten.map(name -> _) }
        val how        = invalid.flatMap(_.toOption).getOrElse(InvalidMessages.Reject)
        Right((JoinOptions(join, on, asked, how, behind.flatMap(_.toOption)), watermarks.toMap))
      case _ => Left(found)
    }
  }

  /** Reads `{"streams": [{"name", …}], "keys": n}`, with watermarks as [[StreamJson.watermark]] reads them. */
  def coGroup(session: SparkSession, node: ObjectNode, tables: Seq[LogicalPlan]): LogicalPlan = {
    val streams =
      node.path("streams").elements.asScala.toSeq.map(one => one.path("name").asText -> StreamJson.watermark(one))
    val found = streams.flatMap { case (name, mark) => mark.left.getOrElse(Nil).map(_.in(s"stream '$name'")) }
    if (found.nonEmpty) throw SpecError("a co-group", found)
    CoGroupPlan(
      session,
      streams.map { case (name, mark) => name -> mark.toOption.flatten },
      node.path("keys").asInt,
      tables)
  }
}
