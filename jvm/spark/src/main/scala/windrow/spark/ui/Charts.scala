package windrow.spark.ui

import scala.xml.Node
import windrow.spark.gauges.FigureText.{count, size, span}
import windrow.spark.gauges.{Levels, QueryStatus}
import windrow.spark.output.{CountColumns, OutputSchema}

/** The pictures of a run: a value for each stored micro-batch. */
private[ui] object Charts {
  import Chart._

  def of(view: RunView): Seq[Node] = {
    val batches = view.batches
    val steps   = batches.scanLeft(QueryStatus())(_.after(_)).tail
    val labels  = batches.map(one => s"batch ${one.batch}")
    def counted(names: Seq[String], colors: Seq[String]): Seq[Series] = names.zip(colors).map { case (name, color) =>
      Series(Parts.label(name), color, batches.map(one => Some(one.counts.getOrElse(name, 0L))))
    }
    def level(name: String, label: String, color: String) = Series(label, color, steps.map(_.levels.get(name)))
    val hasRows                                           = view.status.count(CountColumns.Rows) > 0
    val emitted =
      Option.when(hasRows)(Chart("Emitted rows", counted(Seq(CountColumns.Rows), Seq(Blue)), true, count)) ++
        Option.when(!hasRows || view.status.count(CountColumns.Panes) > 0)(
          Chart("Panes by timing", counted(OutputSchema.Counts.kinds, Seq(Grey, Blue, Orange, Violet)), true, count))
    (emitted.toSeq ++ Seq(
      Chart(
        "Rejected rows by reason",
        counted(OutputSchema.Counts.byReason, Seq(Red, Violet, Orange, Grey)),
        true,
        count),
      Chart(
        "Open windows",
        Seq(Series("open", Blue, steps.map(one => Option.when(one.open.nonEmpty)(one.open.values.sum)))),
        false,
        count),
      Chart(
        "State",
        Seq(level(Levels.StateBytes, "memory", Blue), level(Levels.StateFileBytes, "files", Orange)),
        false,
        size),
      Chart("Watermark behind the newest row", behind(steps), false, millis => span(millis * 1000))))
      .filter(_.series.exists(_.values.exists(_.nonEmpty))).map(_.drawn(labels))
  }

  /** The distance of the watermark, and of each input, from the greatest event time. */
  private def behind(steps: Seq[QueryStatus]): Seq[Series] = {
    val inputs = steps.lastOption.toSeq.flatMap(_.inputs.keys.toSeq.sorted)
    Series("watermark", Blue, steps.map(_.behind)) +: inputs.zip(Iterator.continually(Seq(
      Orange,
      Violet,
      Red,
      Grey)).flatten.take(inputs.size).toSeq).map { case (name, color) =>
      Series(
        name,
        color,
        steps.map(one =>
          for (ahead <- one.newest; at <- one.inputs.getOrElse(name, None)) yield math.max(0, ahead - at)))
    }
  }
}
