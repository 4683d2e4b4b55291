package windrow.testkit

import windrow.testkit.Emission.ValuePane

/** What differs between what a case expects and what came out. */
object Comparison {

  /** One sentence for each difference; none if all that the case states came true. */
  def differences(transcript: TranscriptCase, outcome: Outcome): Seq[String] = outcome match {
    case Outcome.NotRun(_) => Nil
    case Outcome.Refused(problems) =>
      if (transcript.refused.exists(code => problems.exists(_.code == code))) Nil
      else Seq(s"the spec was refused: ${problems.mkString(" ")}")
    case Outcome.Ran(results, atEnd) =>
      val text = new UnitText(transcript.timeUnit)
      transcript.refused.map(code => s"the spec must be refused with $code, but it ran").toSeq ++
        Option.when(
          results.size != transcript.steps.size)(s"${transcript.steps.size} steps, but ${results.size} results") ++
        transcript.steps.zip(results).zipWithIndex.flatMap { case ((step, result), index) =>
          ofStep(step, result, text).map(difference => s"step ${index + 1}: $difference")
        } ++
        transcript.atEnd.filter(_.isFinal).toSeq.flatMap { end =>
          atEnd.fold(Seq("nothing ran"))(ofEmission(end.expected, _, text)).map(difference => s"at_end: $difference")
        }
  }

  private def ofStep(step: Step, result: StepResult, text: UnitText): Seq[String] = (step, result) match {
    case (feed: Step.Feed, StepResult.Emitted(emission)) => ofEmission(feed.expected, emission, text)
    case (Step.AskCounters(expected), StepResult.Counted(counters)) =>
      expected.toSeq.sorted.collect {
        case (name, count) if !counters.get(name).contains(count) =>
          s"counter $name: expected $count, came ${counters.getOrElse(name, "nothing")}"
      }
    case (Step.Restart, StepResult.Restarted) => Nil
    case _                                    => Seq(s"no result for this kind of step, but $result")
  }

  private def ofEmission(expected: Expected, actual: Emission, text: UnitText): Seq[String] =
    expected.panes.fold(Seq.empty[String])(ofPanes(_, actual.panes, text)) ++
      expected.rejected.fold(Seq.empty[String])(ofRejected(_, actual.rejected, text))

  /** In order within a key and window, as a set across them. */
  private def ofPanes(expected: Seq[ValuePane], actual: Seq[ValuePane], text: UnitText): Seq[String] = {
    def byWindow(panes: Seq[ValuePane]) = panes.groupBy(pane => (pane.key, pane.start, pane.end))
    val (wanted, came)                  = (byWindow(expected), byWindow(actual))
    (wanted.keySet ++ came.keySet).toSeq.sorted.flatMap { window =>
      val pairs =
        wanted.getOrElse(window, Nil).map(Option(_)).zipAll(came.getOrElse(window, Nil).map(Option(_)), None, None)
      pairs.collect {
        case (a, b) if !a.zip(b).exists { case (a, b) => isSame(a, b) } =>
          s"pane ${text.window(window)}: expected ${a.fold("nothing")(text.pane)}, came ${b.fold("nothing")(text.pane)}"
      }
    }
  }

  private def isSame(a: ValuePane, b: ValuePane): Boolean =
    a.copy(value = Map.empty[String, Value]) == b.copy(value = Map.empty[String, Value]) &&
      a.value.keySet == b.value.keySet && a.value.forall { case (name, value) => value.isSameAs(b.value(name)) }

  private def ofRejected(expected: Seq[RejectedMessage], actual: Seq[RejectedMessage], text: UnitText): Seq[String] =
    expected.diff(actual).map(message => s"rejected: expected ${text.rejected(message)}, came not") ++
      actual.diff(expected).map(message => s"rejected: not expected ${text.rejected(message)}")

  /** Times as the file writes them. */
  private final class UnitText(unit: TimeUnit) {
    private def key(key: Option[String]): String = key.fold("null")("'" + _ + "'")

    private def time(micros: Long): String =
      if (micros % unit.micros == 0) s"${micros / unit.micros} ${unit.name}" else s"$micros us"

    def window(window: (Option[String], Long, Long)): String =
      s"of ${key(window._1)} [${time(window._2)}, ${time(window._3)})"

    def pane(pane: ValuePane): String =
      s"${if (pane.isRetraction) "retraction of " else ""}${pane.timing} ${pane.index}${if (pane.isLast) " (last)"
        else ""} " +
        pane.value.toSeq.sortBy(_._1).map { case (name, value) => s"$name=${value.toJson}" }.mkString(" ")

    def rejected(message: RejectedMessage): String =
      s"${key(message.key)} at ${message.time.fold("null")(time)} value ${message.value} ${message.reason}"
  }
}
