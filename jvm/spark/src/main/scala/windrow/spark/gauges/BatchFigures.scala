package windrow.spark.gauges

import java.time.Instant
import org.apache.spark.sql.streaming.StreamingQueryProgress
import scala.jdk.CollectionConverters._
import scala.util.Try
import windrow.spark.input.InputReach
import windrow.spark.output.OutputColumns

/** The figures of one micro-batch, for all Windrow operators of its query together. The same as `Figures` in Python.
  *
  * @param counts
  *   counts of rows of all operators together, by their names in the observed metrics (SEMANTICS R74)
  * @param levels
  *   present values: bytes, milliseconds, the number of the micro-batch
  * @param open
  *   the open windows of each operator, by the name of its metrics
  * @param inputs
  *   by input of a join or co-group, the watermark in milliseconds that its rows lead to, if it has some (SEMANTICS R87)
  * @param watermark
  *   the watermark before the micro-batch, in milliseconds, if there is one
  * @param newest
  *   the greatest event time in the micro-batch, in milliseconds
  * @param sources
  *   the rows of each source, by its description
  * @param operators
  *   the counts of each operator, by its name
  */
private[spark] final case class BatchFigures(
    batch: Long,
    counts: Map[String, Long],
    levels: Map[String, Long],
    open: Map[String, OpenFigures],
    inputs: Map[String, Option[Long]],
    watermark: Option[Long],
    newest: Option[Long],
    sources: Seq[(String, Long)],
    operators: Map[String, Map[String, Long]] = Map.empty)

private[spark] object BatchFigures {

  /** Returns the figures of a micro-batch, or None if it lacks a Windrow operator. */
  def of(progress: StreamingQueryProgress): Option[BatchFigures] = {
    val observed = progress.observedMetrics.asScala.collect {
      case (name, row) if name.startsWith(OutputColumns.Prefix) =>
        name -> row.getValuesMap[Any](row.schema.fieldNames.toSeq)
    }.toSeq
    val operators = observed.groupMapReduce(one => OutputColumns.operator(one._1)) { case (_, counts) =>
      (counts -- OpenFigures.Names).collect { case (name, n: Number) => name -> n.longValue }
    }(sum)
    Option.when(observed.nonEmpty)(BatchFigures(
      progress.batchId,
      operators.values.reduce(sum),
      levels(progress),
      observed.collect {
        case (name, counts) if OpenFigures.Names.forall(counts.contains) => name -> OpenFigures(counts)
      }
        .toMap,
      observed.flatMap { case (name, counts) =>
        OutputColumns.input(name).filter(_ => counts.contains(InputReach.Name)).map(
          _ -> Option(counts(InputReach.Name)).collect { case micros: Number =>
            Math.floorDiv(micros.longValue, 1000L)
          })
      }
        .toMap,
      instant(progress, "watermark").filter(_ != 0),
      instant(progress, "max"),
      progress.sources.toSeq.map(source => source.description -> source.numInputRows),
      operators))
  }

  /** Adds counts by name. */
  def sum(one: Map[String, Long], other: Map[String, Long]): Map[String, Long] =
    other.foldLeft(one) { case (all, (name, n)) => all.updated(name, all.getOrElse(name, 0L) + n) }

  private def levels(progress: StreamingQueryProgress): Map[String, Long] = {
    val states               = progress.stateOperators.toSeq
    val shards               = states.filter(_.operatorName.contains("transformWithState"))
    def custom(name: String) = states.map(_.customMetrics.getOrDefault(name, 0L).longValue).sum
    Map(
      Levels.Batch -> progress.batchId,
      Levels.BatchMillis -> Option(
        progress.durationMs.get("triggerExecution")).fold(progress.batchDuration)(_.longValue),
      Levels.ShardsMillis   -> (shards.map(_.allUpdatesTimeMs).sum + custom("timerProcessingTimeMs")),
      Levels.StateRows      -> states.map(_.numRowsTotal).sum,
      Levels.StateBytes     -> states.map(_.memoryUsedBytes).sum,
      Levels.StateFileBytes -> custom("rocksdbSstFileSize"))
  }

  private def instant(progress: StreamingQueryProgress, name: String): Option[Long] =
    Option(progress.eventTime.get(name)).flatMap(text => Try(Instant.parse(text).toEpochMilli).toOption)
}
