package windrow.benchmarks

/** Formats all results as Markdown. */
object Report {
  def of(found: Findings): String =
    (head(found) +: Seq(failures(found), marks(found), costs(found), more(found)).filter(_.nonEmpty)).mkString(
      "",
      "\n\n",
      "\n")

  private def head(found: Findings): String =
    "# What the benchmarks gave\n\nWritten by `scripts/bench`; [benchmarks.md](../benchmarks.md) explains it.\n\n" +
      found.results.groupBy(_.made).toSeq.sortBy(_._1).map { case (made, results) =>
        s"* $made: ${results.map(_.workload).mkString(", ")}"
      }.mkString("\n")

  def table(heads: Seq[String], lines: Seq[Seq[String]]): String = {
    val rule = heads.map(_ => "---")
    (heads +: rule +: lines).map(_.mkString("| ", " | ", " |")).mkString("\n")
  }

  private def marks(found: Findings): String = {
    val verdicts = Verdict.of(found)
    if (verdicts.isEmpty) ""
    else section(
      "Marks",
      table(
        Seq("workload", "what", "fresh", "warm", "at most", "met"),
        verdicts.map(one =>
          Seq(
            one.workload,
            one.what,
            one.fresh.toString,
            one.warm.toString,
            f"${one.most}%.2f",
            one.met.fold("–")(met => if (met) "yes" else "**no**")))))
  }

  private def costs(found: Findings): String = section(
    s"CPU microseconds an event: median (least to most) of the repeats",
    table(
      Seq("workload", "events", "a batch", "repeats", "contender", "fresh", "warm"),
      each(found)((result, contender) =>
        Seq(f"${result.events}%,d", f"${result.batch}%,d", result.runs.map(_.repeat).max.toString, contender.name) ++
          Seq(Timed.Fresh, Timed.Warm).map(pass => Spread(result.each(contender, pass)(_.cpu)).toString))))

  private def more(found: Findings): String = section(
    "Medians of the warm runs",
    table(
      Seq("workload", "contender", "events/s", "rows", "state, MB", "memory, MB", "p99 of batches, ms",
        "p99 of waiting, ms"),
      each(found) { (result, contender) =>
        def median(value: Measured => Double) = Spread(result.each(contender, Timed.Warm)(value)).median
        val state                             = median(_.stateBytes.toDouble)
        val latency                           = median(_.latency.getOrElse(-1))
        Seq(
          contender.name,
          f"${median(_.perSecond)}%,.0f",
          f"${median(_.digest.rows.toDouble)}%,.0f",
          if (state < 0) "–" else f"${state / 1e6}%,.1f",
          f"${median(_.residentMegabytes.toDouble)}%,.0f",
          f"${median(_.slowestBatch)}%,.0f",
          if (latency < 0) "–" else f"$latency%,.0f")
      }))

  private def each(found: Findings)(cells: (Result, Contender) => Seq[String]): Seq[Seq[String]] = for {
    result    <- found.results
    contender <- Contender.all if result.runs.exists(_.contender == contender.name)
  } yield result.workload +: cells(result, contender)

  private def failures(found: Findings): String = {
    val failed =
      found.results.flatMap(result => result.error.map(why => s"* `${result.workload}`: ${why.linesIterator.next()}"))
    if (failed.isEmpty) "" else section("Not equal, or not run", failed.mkString("\n"))
  }

  private def section(head: String, text: String): String = s"## $head\n\n$text"
}
