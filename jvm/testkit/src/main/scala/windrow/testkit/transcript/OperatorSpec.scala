package windrow.testkit

import com.fasterxml.jackson.databind.node.ObjectNode
import scala.jdk.CollectionConverters._
import windrow.{SpecJson, SpecProblem, WindowOperatorSpec}

/** What a case runs. */
sealed trait OperatorSpec {

  /** In words, for messages. */
  def name: String

  /** What comes out of it beside rejected messages. */
  def shape: Expected.Shape
}

object OperatorSpec {

  /** @param aggregates
    *   name of the column and the function of [[ReferenceAggregates]]
    */
  final case class Aggregate(spec: WindowOperatorSpec, aggregates: Seq[(String, String)]) extends OperatorSpec {
    def name: String          = s"an aggregate of ${spec.window}"
    def shape: Expected.Shape = Expected.Panes
  }

  /** Policy windows, whose events a case expects. */
  final case class Policy(json: ObjectNode) extends OperatorSpec {
    def name: String          = "policy windows"
    def shape: Expected.Shape = Expected.Events
  }

  final case class FullState(json: ObjectNode) extends OperatorSpec {
    def name: String          = "full state"
    def shape: Expected.Shape = Expected.Panes
  }

  final case class Join(json: ObjectNode) extends OperatorSpec {
    def name: String          = "a join"
    def shape: Expected.Shape = Expected.Rows
  }

  final case class CoGroup(json: ObjectNode) extends OperatorSpec {
    def name: String          = "a co-group"
    def shape: Expected.Shape = Expected.Panes
  }

  def read(json: ObjectNode, unit: TimeUnit): Either[Seq[SpecProblem], OperatorSpec] =
    json.path("operator").asText match {
      case "full_state"                                              => Right(FullState(json))
      case "join"                                                    => Right(Join(json))
      case "cogroup"                                                 => Right(CoGroup(json))
      case "aggregate" if TranscriptCase.windowKind(json) == "policy" => Right(Policy(json))
      case _ =>
        SpecJson.read(json, Map("time_unit" -> unit.name)).flatMap(_.check).map(Aggregate(_, aggregates(json)))
    }

  /** Name of the column and function, as the file has them. */
  def aggregates(json: ObjectNode): Seq[(String, String)] =
    json.path("aggregates").properties.asScala.toSeq.map(entry => entry.getKey -> entry.getValue.asText)
}
