package windrow.spark.gauges

import java.util.UUID
import org.apache.spark.sql.windrow.SparkGauges
import windrow.spark.output.OutputSchema

/** The gauges of one run of a query. Counts are sums over the run, so they never decrease. The other values are those
  * of the last micro-batch.
  */
private[gauges] final class QueryGauges private (shown: SparkGauges) {

  @volatile private var last   = -1L
  @volatile private var counts = Map.empty[String, Long].withDefaultValue(0L)
  @volatile private var levels = Map.empty[String, Long]
  @volatile private var newest = Option.empty[Long]
  @volatile private var open   = Map.empty[String, Long]
  @volatile private var inputs = Map.empty[String, Option[Long]]

  QueryGauges.Counts.foreach(name => shown.put(name, () => counts(name)))
  QueryGauges.Levels.foreach(name => shown.put(name, () => levels.getOrElse(name, 0L)))

  /** Adds the figures of a micro-batch. Ignores one that was added before. */
  def take(figures: BatchFigures): Unit = synchronized {
    if (figures.batch > last) {
      last = figures.batch
      counts = QueryGauges.Counts.map(name =>
        name -> (counts(name) + figures.counts.getOrElse(name, 0L))).toMap.withDefaultValue(0L)
      newest = (newest ++ figures.newest).maxOption
      val behind = for (ahead <- newest; watermark <- figures.watermark) yield ahead - watermark
      takeOpen(figures)
      takeInputs(figures)
      levels = figures.levels ++ figures.watermark.map("watermark_ms" -> _) ++ behind.map("behind_ms" -> _)
    }
  }

  /** Updates the open windows. Registers the gauge once the open windows of an operator are known. */
  private def takeOpen(figures: BatchFigures): Unit = {
    val isFirst = open.isEmpty
    open = figures.open.flatMap { case (name, reported) =>
      reported.after(figures.batch, open.get(name)).map(name -> _)
    }
    if (isFirst && open.nonEmpty) shown.put("open_windows", () => open.values.sum)
  }

  /** Advances the watermark of each input. Registers the gauge of an input with its first micro-batch; it is 0 until the
    * input has rows.
    */
  private def takeInputs(figures: BatchFigures): Unit = {
    val added = figures.inputs.keySet -- inputs.keySet
    inputs ++= figures.inputs.map { case (name, reached) => name -> (inputs.get(name).flatten ++ reached).maxOption }
    added.foreach(name =>
      shown.put(s"input.${QueryGauges.plainName(name)}.watermark_ms", () => inputs(name).getOrElse(0L)))
  }

  def close(): Unit = shown.close()
}

private[gauges] object QueryGauges {
  private val Counts = ("read" +: OutputSchema.Counts.names) :+ "rows"

  private val Levels = Seq(
    "batch",
    "batch_ms",
    "shards_ms",
    "state_rows",
    "state_bytes",
    "state_file_bytes",
    "watermark_ms",
    "behind_ms")

  /** Creates the gauges of a query. Appends the id to a name that another running query already uses. */
  def apply(name: Option[String], id: UUID): QueryGauges = {
    val plain = plainName(name.getOrElse(id.toString))
    new QueryGauges(SparkGauges.open(plain, s"$plain-$id"))
  }

  /** Replaces characters that metric sinks do not accept. Sinks interpret dots as levels. */
  private def plainName(name: String): String = name.replaceAll("[^A-Za-z0-9_-]", "_")
}
