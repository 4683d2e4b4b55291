package windrow.benchmarks

/** What became of a workload: a failure, or the repeats of each contender. */
final case class Result(workload: Workload, outcome: Either[String, Map[Contender, Seq[Measured]]])

/** The table at the end. */
object Report {
  private val Heads = Seq("workload", "windrow", "Spark", "ratio", "mark", "met", "floor", "reading", "events/s",
    "Spark's", "state", "Spark's")

  def table(results: Seq[Result]): String = aligned(Heads, results.map(line))

  private def aligned(heads: Seq[String], lines: Seq[Seq[String]]): String = {
    val rows   = heads +: lines
    val widths = heads.indices.map(i => rows.map(row => row.lift(i).fold(0)(_.length)).max)
    val text =
      rows.map(row => row.zip(widths).map { case (cell, width) => cell.padTo(width, ' ') }.mkString("  ").stripTrailing)
    (text.head +: widths.map("-" * _).mkString("  ") +: text.tail).mkString("\n")
  }

  private def line(result: Result): Seq[String] = result.outcome match {
    case Left(why) => Seq(result.workload.name) ++ Seq(s"could not be run: $why".take(120))
    case Right(measured) =>
      val ratios = ratio(measured, Windrow, SparkOwn)
      def each(contender: Contender, value: Measured => Double, show: Seq[Double] => String) =
        measured.get(contender).fold("-")(runs => show(runs.map(value)))
      Seq(
        result.workload.name,
        each(Windrow, _.cpu, spread),
        each(SparkOwn, _.cpu, spread),
        if (ratios.isEmpty) "-" else spread(ratios),
        result.workload.mark.fold("-")(mark => f"<= $mark%.2f"),
        result.workload.mark.filter(_ => ratios.nonEmpty).fold("-")(mark =>
          if (median(ratios) <= mark) "yes" else "NO"),
        each(Floor, _.cpu, spread),
        each(Reading, _.cpu, spread),
        each(Windrow, _.perSecond, thousands),
        each(SparkOwn, _.perSecond, thousands),
        each(Windrow, _.stateBytes.toDouble, thousands),
        each(SparkOwn, _.stateBytes.toDouble, thousands))
  }

  /** CPU of each way to fire to that of panes on time alone. */
  def firings(results: Seq[Result]): String = aligned(
    Seq("workload", "on time, us") ++ Contender.firings.tail.map(_.name),
    results.map(result =>
      result.workload.name +: result.outcome.fold(
        why => Seq(s"could not be run: $why".take(120)),
        measured =>
          spread(measured(Windrow).map(_.cpu)) +: Contender.firings.tail.map(one =>
            spread(ratio(measured, one, Windrow))))))

  /** Of CPU, within each repeat. */
  private def ratio(measured: Map[Contender, Seq[Measured]], of: Contender, to: Contender): Seq[Double] =
    measured.getOrElse(of, Nil).zip(measured.getOrElse(to, Nil)).map { case (ours, theirs) => ours.cpu / theirs.cpu }

  private def median(values: Seq[Double]): Double = {
    val sorted = values.sorted
    (sorted((sorted.size - 1) / 2) + sorted(sorted.size / 2)) / 2
  }

  private def spread(values: Seq[Double]): String    = f"${median(values)}%.2f (${values.min}%.2f-${values.max}%.2f)"
  private def thousands(values: Seq[Double]): String = f"${median(values) / 1000}%,.0fk"
}
