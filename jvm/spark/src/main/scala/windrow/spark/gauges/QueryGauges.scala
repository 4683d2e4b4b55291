package windrow.spark.gauges

import java.util.UUID
import org.apache.spark.sql.windrow.SparkGauges
import windrow.spark.output.{CountColumns, OutputSchema}

/** The gauges of one run of a query. Counts are sums over the run, so they never decrease. The other values are those
  * of the last micro-batch.
  */
private[gauges] final class QueryGauges private (shown: SparkGauges) {
  import QueryGauges._

  @volatile private var status = QueryStatus()

  Counts.foreach(name => shown.put(name, () => status.count(name)))
  Levels.All.foreach(name => shown.put(name, () => status.levels.getOrElse(name, 0L)))

  /** Adds the figures of a micro-batch. The gauge of open windows exists while those of an operator are known. The gauge
    * of an input exists from its first micro-batch on; it is 0 until the input has rows.
    */
  def take(figures: BatchFigures): Unit = synchronized {
    val before = status
    status = before.after(figures)
    if (before.open.isEmpty && status.open.nonEmpty) shown.put(Open, () => status.open.values.sum)
    if (before.open.nonEmpty && status.open.isEmpty) shown.remove(Open)
    (status.inputs.keySet -- before.inputs.keySet).foreach(name =>
      shown.put(s"input.${plainName(name)}.watermark_ms", () => status.inputs(name).getOrElse(0L)))
  }

  def close(): Unit = shown.close()
}

private[gauges] object QueryGauges {
  private val Open = CountColumns.OpenWindows

  private val Counts = (CountColumns.Read +: OutputSchema.Counts.names) ++ Seq(CountColumns.Rows, CountColumns.Replaced)

  /** Creates the gauges of a query. Appends the id to a name that another running query already uses. */
  def apply(name: Option[String], id: UUID): QueryGauges = {
    val plain = plainName(name.getOrElse(id.toString))
    new QueryGauges(SparkGauges.open(plain, s"$plain-$id"))
  }

  /** Replaces characters that metric sinks do not accept. Sinks interpret dots as levels. */
  private def plainName(name: String): String = name.replaceAll("[^A-Za-z0-9_-]", "_")
}
