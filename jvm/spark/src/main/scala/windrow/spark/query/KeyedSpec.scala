package windrow.spark.query

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode
import windrow.core.dedup.ReplacedDedup
import windrow.{DedupSpec, Keep, MatchSpec, OperatorJson, TimeSpan}

/** An operator that stores rows or times by key, and has no windows. */
sealed trait KeyedSpec extends Serializable {
  def lateness: TimeSpan

  /** How long it needs a row if the lateness is 0, in microseconds. */
  def within: Long

  /** Whether it stores rows, and not only their times. */
  def storesRows: Boolean

  private[query] def json: ObjectNode
  private[query] def write(node: ObjectNode): Unit
}

object KeyedSpec {

  /** A deduplication.
    *
    * @param untilWatermark
    *   see [[windrow.core.dedup.ReplacedDedup]]; None if it replaces no deduplication of Spark's
    */
  final case class Dedup(spec: DedupSpec, untilWatermark: Option[Boolean]) extends KeyedSpec {
    def lateness: TimeSpan  = spec.lateness
    def within: Long        = spec.within.micros
    def storesRows: Boolean = spec.keep == Keep.Last

    private[query] def json: ObjectNode              = OperatorJson.write(spec)
    private[query] def write(node: ObjectNode): Unit = untilWatermark.foreach(node.put("until_watermark", _))
  }

  object Dedup {
    def replacing(spec: DedupSpec, replaced: Option[ReplacedDedup]): Dedup =
      Dedup(spec, replaced.map(_.untilWatermark))

    private[query] def read(node: JsonNode, spec: DedupSpec): Dedup =
      Dedup(spec, Option(node.get("until_watermark")).map(_.asBoolean))
  }

  /** A search for a pattern. */
  final case class Match(spec: MatchSpec) extends KeyedSpec {
    def lateness: TimeSpan  = spec.lateness
    def within: Long        = spec.within.fold(0L)(_.micros)
    def storesRows: Boolean = true

    private[query] def json: ObjectNode              = OperatorJson.write(spec)
    private[query] def write(node: ObjectNode): Unit = ()
  }
}
