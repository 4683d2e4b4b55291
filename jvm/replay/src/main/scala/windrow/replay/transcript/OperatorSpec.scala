package windrow.replay

import com.fasterxml.jackson.databind.node.ObjectNode
import scala.jdk.CollectionConverters._
import windrow._

/** The operator of a case. */
sealed trait OperatorSpec {

  /** A description for error messages. */
  def name: String

  /** The kind of its output, in addition to rejected messages. */
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

  /** Policy windows, with events as expected results. */
  final case class Policy(json: ObjectNode) extends OperatorSpec {
    def name: String          = "policy windows"
    def shape: Expected.Shape = Expected.Events

    def spec(unit: TimeUnit): Either[Seq[SpecProblem], PolicyWindowSpec] =
      PolicySpecJson.read(json.get("window").asInstanceOf[ObjectNode], unit.name)
  }

  final case class FullState(spec: FullStateSpec) extends OperatorSpec {
    def name: String          = s"full state of ${spec.window}"
    def shape: Expected.Shape = Expected.Panes
  }

  final case class Join(spec: JoinSpec) extends OperatorSpec {
    def name: String          = "a join"
    def shape: Expected.Shape = Expected.Rows
  }

  final case class CoGroup(spec: CoGroupSpec) extends OperatorSpec {
    def name: String          = "a co-group"
    def shape: Expected.Shape = Expected.Panes
  }

  final case class Dedup(spec: DedupSpec) extends OperatorSpec {
    def name: String          = "a deduplication"
    def shape: Expected.Shape = Expected.Rows
  }

  def read(json: ObjectNode, unit: TimeUnit): Either[Seq[SpecProblem], OperatorSpec] =
    if (TranscriptCase.windowKind(json) == "policy") Right(Policy(json))
    else OperatorJson.read(json, Map("time_unit" -> unit.name)).flatMap {
      case CheckedSpec.Aggregate(spec) => Right(Aggregate(spec, aggregates(json)))
      case CheckedSpec.FullState(spec) => Right(FullState(spec))
      case CheckedSpec.Join(spec)      => Right(Join(spec))
      case CheckedSpec.CoGroup(spec)   => Right(CoGroup(spec))
      case CheckedSpec.Dedup(spec)     => Right(Dedup(spec))
      case CheckedSpec.Match(spec) =>
        Left(Seq(SpecProblem("VALUE_NOT_SUPPORTED.OPERATOR", "value" -> spec, "allowed" -> OperatorJson.Standalone)))
    }

  /** Returns the name of the column and the function of each aggregate, in the order of the file. */
  def aggregates(json: ObjectNode): Seq[(String, String)] =
    json.path("aggregates").properties.asScala.toSeq.map(entry => entry.getKey -> entry.getValue.asText)
}
