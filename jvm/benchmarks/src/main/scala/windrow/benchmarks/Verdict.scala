package windrow.benchmarks

import windrow.benchmarks.Mark._

/** A mark with the measured figures.
  *
  * @param judged
  *   the medians that are compared with the mark
  */
final case class Verdict(
    workload: String,
    what: String,
    most: Double,
    fresh: Spread,
    warm: Spread,
    judged: Seq[Double]) {
  def met: Option[Boolean] = Option.when(judged.nonEmpty)(judged.forall(_ <= most))
}

object Verdict {
  def of(found: Findings): Seq[Verdict] = for {
    result  <- found.results if result.error.isEmpty
    mark    <- Workload(result.workload).marks
    verdict <- judged(found, result, mark)
  } yield verdict

  private def judged(found: Findings, result: Result, mark: Mark): Option[Verdict] = {
    def verdict(what: String, passes: Seq[String])(values: String => Seq[Double]) = {
      val of      = Seq(Timed.Fresh, Timed.Warm).map(pass => pass -> Spread(values(pass))).toMap
      val medians = passes.map(of).filter(_.values.nonEmpty).map(_.median)
      Option.when(of.values.exists(_.values.nonEmpty))(
        Verdict(result.workload, what, mark.most, of(Timed.Fresh), of(Timed.Warm), medians))
    }
    val both = Seq(Timed.Fresh, Timed.Warm)
    mark match {
      case Ratio(of, to, _, warmOnly) =>
        verdict(s"${of.name} to ${to.name}", if (warmOnly) Seq(Timed.Warm) else both)(result.ratio(of, to, _)(_.cpu))
      case FurtherPane(of, to, _) =>
        verdict(s"a further pane of ${of.name} to one of ${to.name}", both)(furtherPane(result, of, to, _))
      case Latency(of, to, _) =>
        verdict(s"latency of ${of.name} to ${to.name}", both)(result.ratio(of, to, _)(_.latency.getOrElse(Double.NaN)))
      case Micros(of, _)       => verdict(s"${of.name}, us", both)(result.each(of, _)(_.cpu))
      case Flat(of, family, _) => verdict(s"${of.name}, dearest to cheapest", both)(flat(found, of, family, _))
    }
  }

  private def furtherPane(result: Result, of: Contender, to: Contender, pass: String): Seq[Double] =
    result.ratio(of, to, pass)(_.cpu).zip(result.ratio(of, to, pass)(_.digest.rows.toDouble))
      .map { case (cpu, rows) => (cpu - 1) / (rows - 1) }

  private def flat(found: Findings, of: Contender, family: String, pass: String): Seq[Double] = {
    val medians = found.results.filter(result => Workload(result.workload).size.exists(_.family == family))
      .map(_.each(of, pass)(_.cpu)).filter(_.nonEmpty).map(Spread(_).median)
    if (medians.size < 2) Nil else Seq(medians.max / medians.min)
  }
}
