package windrow.benchmarks

/** Compares earlier and current results by their ratios to peers alone, because nothing else is comparable between two
  * runs.
  */
object Comparison {
  def of(before: Findings, now: Findings): String = {
    def known(found: Findings) =
      Verdict.of(found).filter(_.what.contains(" to ")).map(one => (one.workload, one.what) -> one)
    val old = known(before).toMap
    val lines = known(now).map { case (name, one) =>
      def was(value: Verdict => Spread) = old.get(name).fold("–")(value(_).toString)
      Seq(one.workload, one.what, was(_.fresh), one.fresh.toString, was(_.warm), one.warm.toString, f"${one.most}%.2f")
    }
    Report.table(
      Seq("workload", "what", "fresh, before", "fresh, now", "warm, before", "warm, now", "at most"),
      lines) + "\n"
  }
}
