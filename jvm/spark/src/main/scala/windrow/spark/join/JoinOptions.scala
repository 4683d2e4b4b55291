package windrow.spark.join

import com.fasterxml.jackson.databind.node.ObjectNode
import scala.jdk.CollectionConverters._
import windrow._
import windrow.spark.sql.OptionsReader

/** Which of its outputs a join gives. */
sealed abstract class JoinPart(override val toString: String)

object JoinPart {
  case object Rows     extends JoinPart("rows")
  case object Rejected extends JoinPart("rejected")
  case object All      extends JoinPart("all")

  val Every: Seq[JoinPart] = Seq(Rows, Rejected, All)

  def parse(text: String): Either[SpecProblem, JoinPart] = Every.find(_.toString == text)
    .toRight(SpecProblem("OUTPUT_UNKNOWN", s"output is '$text'; allowed are ${Every.mkString(", ")}."))
}

/** A checked join, but for what its tables say.
  *
  * @param on
  *   names of the equality fields, as the rows show them
  * @param watermarks
  *   set by windrow, by name of the stream; none where the input has one already
  */
final case class JoinOptions(spec: JoinSpec, on: Seq[String], watermarks: Map[String, TimeSpan], part: JoinPart)

/** Reads the JSON of a join in `windrow_apply`: a spec (see [[OperatorJson]]), with `output` and
  * `input: {"on": [names], "streams": {"<stream>": {"watermark": microseconds}}}` beside its fields.
  */
private[spark] object JoinOptions {

  def isJoin(node: ObjectNode): Boolean = node.path("operator").asText == "join"

  def read(node: ObjectNode): Either[Seq[SpecProblem], JoinOptions] = {
    val spec  = node.deepCopy()
    val input = Option(spec.remove("input"))
    val part  = JoinPart.parse(Option(spec.remove("output")).fold("rows")(_.asText))
    val on    = input.toSeq.flatMap(_.path("on").elements.asScala).map(_.asText)
    val marks = input.toSeq.flatMap(_.path("streams").properties.asScala).flatMap { stream =>
      Option(stream.getValue.get("watermark")).filterNot(_.isNull).map(mark =>
        stream.getKey -> OptionsReader.duration("watermark", mark))
    }
    val read  = OperatorJson.read(spec, Map.empty)
    val twice = on.diff(on.distinct).distinct.map(name => SpecProblem("NAME_TWICE", s"on has '$name' more than once."))
    val found = read.left.getOrElse(Nil) ++ twice ++ part.left.toSeq ++ marks.flatMap(_._2.left.toOption)
    (read, part) match {
      case (Right(CheckedSpec.Join(join)), Right(asked)) if found.isEmpty =>
        Right(JoinOptions(join, on, marks.flatMap { case (name, mark) => mark.toOption.map(name -> _) }.toMap, asked))
      case _ => Left(found)
    }
  }
}
