package windrow.spark.gauges

import windrow.Reason
import windrow.spark.gauges.FigureText.{count, instant, span}
import windrow.spark.output.CountColumns

/** A reason why a query emits nothing.
  *
  * @param code
  *   its name, for programs
  * @param meaning
  *   the facts that show it
  * @param remedy
  *   the action that solves it, or the event to wait for
  */
private[spark] final case class Cause(code: String, meaning: String, remedy: String)

/** Decides why a query emits nothing, for `wr.whyNoOutput` and for the tab in Spark's UI. */
private[spark] object Causes {

  /** Returns the causes, the one to treat first at the beginning. */
  def of(facts: Facts): Seq[Cause] = facts.error match {
    case Some(error) =>
      Seq(Cause(
        "FAILED",
        s"The query failed: $error",
        "Remove the cause, and start the query again with the same checkpoint."))
    case None if facts.batch.isEmpty && facts.isActive => Seq(beforeTheFirst(facts))
    case None =>
      output(facts).toSeq ++ (if (isAccepted(facts)) inTheFuture(facts).toSeq else named(facts, rows(facts))) ++
        (if (isAccepted(facts) || facts.batch.isEmpty) held(facts) ++ named(facts, windows(facts)) else Nil)
  }

  /** Names the examined operator, if there are several. */
  private def named(facts: Facts, causes: Seq[Cause]): Seq[Cause] =
    facts.examined.fold(causes)(name => causes.map(one => one.copy(meaning = s"Operator '$name': ${one.meaning}")))

  private def isAccepted(facts: Facts): Boolean = facts.count(CountColumns.Accepted) > 0

  /** A watermark this far ahead of the clock can only come from a row with a wrong time. */
  private val Future = 3600000000L

  private val Remedies: Map[Reason, String] = Map(
    Reason.InvalidTime -> "Fix the event time of the rows: it is null or cannot be converted.",
    Reason.TooLate ->
      "Run wr.advise(query) for a lateness that accepts them, and check the time zone of the input.",
    Reason.TooFarAhead    -> "Fix the clock of the producer, or set a longer maxFuture.",
    Reason.OutOfRetention -> "Set a longer retain.")

  private def beforeTheFirst(facts: Facts): Cause = facts.waiting.filter(_.panes > 0) match {
    case _ if facts.isBusy =>
      Cause(
        "FIRST_BATCH_RUNS",
        "The first micro-batch of this run has not ended yet.",
        "Wait. If it takes long, limit its rows with maxOffsetsPerTrigger or maxFilesPerTrigger.")
    case Some(waiting) =>
      Cause(
        "ALREADY_READ",
        "All input was read before this run, because the checkpoint was used before; " +
          s"${waits(waiting)} in the state.",
        "Send newer rows. To process the input again, start with a new checkpoint.")
    case None =>
      Cause(
        "NO_ROWS",
        "The sources have delivered no rows since this run began.",
        "Check the sources: the path or topic, the starting offsets, and filters before Windrow.")
  }

  private def output(facts: Facts): Option[Cause] = Option.when(facts.emitted > 0)(Cause(
    "HAS_OUTPUT",
    s"The query has emitted ${count(facts.emitted)} rows up to micro-batch ${facts.batch.getOrElse(0L)}.",
    "If you do not see them, check the sink, and filters behind Windrow."))

  /** Finds causes that keep rows out of windows. */
  private def rows(facts: Facts): Seq[Cause] = {
    val reasons    = Reason.OfRejected.map(one => one -> facts.count(CountColumns.of(one))).filter(_._2 > 0)
    val duplicates = facts.count(CountColumns.Duplicates)
    val gaps       = facts.count(CountColumns.Gaps)
    val found = rejected(facts, reasons) ++
      Option.when(duplicates > 0)(Cause(
        "ALL_DUPLICATES",
        s"${count(duplicates)} rows are duplicates of rows that were processed before.",
        "Check whether offsets were reset or ids repeat; a new topic needs a new checkpoint.")) ++
      Option.when(gaps > 0)(Cause(
        "BETWEEN_WINDOWS",
        s"${count(gaps)} rows are between two windows.",
        "Choose a step of Hopping that is not longer than the size."))
    if (found.nonEmpty) found.toSeq
    else if (facts.operators.exists(all => all.isLater(all.examined)))
      Seq(Cause(
        "NO_ROWS",
        "The earlier operators passed no rows to it in this run.",
        "Check the filters between the operators."))
    else
      Seq(Cause(
        "NO_ROWS",
        "The micro-batches of this run had no rows.",
        "Check the sources: the path or topic, the starting offsets, and filters before Windrow."))
  }

  private def rejected(facts: Facts, reasons: Seq[(Reason, Long)]): Option[Cause] =
    inTheFuture(facts).orElse(Option.when(reasons.nonEmpty)(Cause(
      "ALL_REJECTED",
      s"All ${count(facts.count(CountColumns.Rejected))} rows are rejected: " +
        s"${reasons.map { case (one, n) => s"$one ${count(n)}" }.mkString(", ")}.",
      Remedies(reasons.maxBy(_._2)._1))))

  private def inTheFuture(facts: Facts): Option[Cause] =
    facts.watermark.filter(_ - Future > facts.now && facts.count(CountColumns.of(Reason.TooLate)) > 0).map(mark =>
      Cause(
        "WATERMARK_IN_THE_FUTURE",
        s"A row with a wrong time has moved the watermark to ${instant(mark)}, so all later rows are too late.",
        "Set maxFuture=\"1 hour\", and start with a new checkpoint, because a watermark never moves back."))

  /** Finds causes that keep the watermark from moving. */
  private def held(facts: Facts): Seq[Cause] = facts.heldBackBy match {
    case Some(name) =>
      val soFar =
        facts.inputs.getOrElse(name, None).fold("has delivered no rows yet")(reached => s"is at ${instant(reached)}")
      Seq(Cause(
        "INPUT_HOLDS_WATERMARK",
        s"The watermark waits for the input $name, which $soFar.",
        "Check that input. If silence is normal for it, set idle in its watermark."))
    case None => facts.quiet.toSeq.collect {
        case (name, batches) if facts.hasSeveralWatermarks && batches >= QueryStatus.Silent =>
          Cause(
            "SOURCE_IS_SILENT",
            s"The source $name had no rows in the last $batches micro-batches.",
            "Check that source. The smallest watermark of all inputs counts.")
      }
  }

  /** Finds the event for which the windows in the state wait. */
  private def windows(facts: Facts): Seq[Cause] = facts.waiting match {
    case None                               => if (facts.emittedByExamined == 0) unread(facts) else Nil
    case Some(none) if none.panes == 0      => nothing(facts, none.kind)
    case Some(all) if !facts.isActive       => Seq(ended(s"${waits(all)} in the state"))
    case Some(all) if all.watermark.isEmpty => all.clock.toSeq.map(periodNotOver(all, _))
    case Some(all) => onlyWithData(facts) :+ byWatermark(facts, all, all.watermark.get + facts.lag)
  }

  private def periodNotOver(all: WaitingPanes, until: Long): Cause = Cause(
    "PERIOD_NOT_OVER",
    s"${waits(all)} in the state; the first is emitted at ${instant(until)} by the clock.",
    "Wait, or set a shorter period.")

  private def byWatermark(facts: Facts, all: WaitingPanes, needed: Long): Cause = all.next match {
    case Some(next) if next >= needed =>
      Cause(
        "NEXT_BATCH_EMITS",
        s"${waits(all)} in the state; the first is ${all.kind.happens} at the watermark ${instant(needed)}, and the next " +
          s"micro-batch has the watermark ${instant(next)}.",
        if (facts.runsWithoutData) "Wait for the next trigger. Newer rows are not necessary."
        else "Wait for the next micro-batch, which needs a row.")
    case next => notReached(facts.copy(watermark = next.orElse(facts.watermark)), all, needed)
  }

  /** Decides by the number of open windows, because the state was not read. */
  private def unread(facts: Facts): Seq[Cause] = facts.open match {
    case Some(0)                    => nothing(facts, WaitingPanes.OfPanes)
    case Some(n) if !facts.isActive => Seq(ended(opened(n)))
    case open if facts.isActive     => onlyWithData(facts) :+ notReached(facts, open)
    case _                          => Nil
  }

  private def nothing(facts: Facts, kind: WaitingPanes.Kind): Seq[Cause] =
    Option.when(isAccepted(facts) && facts.emittedByExamined == 0) {
      val (meaning, remedy) = kind match {
        case WaitingPanes.OfPanes => (
            "Rows were accepted, but the state has no pane to emit.",
            "Check the triggers: onTime=False suppresses the pane of a complete window. " +
              "output.explain() shows when panes are emitted.")
        case WaitingPanes.OfRows => (
            "Rows were accepted, but the state has no row to emit.",
            "Check the keys of the rows and the range of their times. output.explain() shows which rows are emitted.")
        case WaitingPanes.OfKeys => (
            "Rows were accepted, but none of them can belong to a match any longer.",
            "Check the conditions and within. output.plot(rows) shows the matches in a few rows.")
      }
      Cause("NOTHING_WAITS", meaning, remedy)
    }.toSeq

  private def ended(waits: String): Cause = Cause(
    "RUN_ENDED",
    s"The run has ended, and $waits.",
    "Pass drain=True together with availableNow=True, from the first start of a new checkpoint on, or start the " +
      "query again when newer rows exist.")

  private def onlyWithData(facts: Facts): Seq[Cause] = Option.unless(facts.runsWithoutData)(Cause(
    "ONLY_BATCHES_WITH_DATA",
    "spark.sql.streaming.noDataMicroBatches.enabled is false, so a window is emitted only together with later rows.",
    "Set it to true before you start the query.")).toSeq

  private def notReached(facts: Facts, all: WaitingPanes, needed: Long): Cause = Cause(
    "WATERMARK_NOT_REACHED",
    s"${waits(all)} in the state; the first is ${all.kind.happens} at the watermark ${instant(needed)}, but ${at(facts)}.",
    facts.behind.fold("Wait for newer rows, because only they move the watermark.")(behind =>
      s"Wait for a row of about ${instant(needed + behind)} or later: the watermark is ${span(behind)} behind the " +
        "newest row."))

  private def notReached(facts: Facts, open: Option[Long]): Cause = Cause(
    "WATERMARK_NOT_REACHED",
    s"No window has been emitted yet${open.fold("")(n => s", and ${opened(n)}")}: ${at(facts)}.",
    "Wait for newer rows, because only they move the watermark. wr.state(checkpoint).pending() shows the watermark " +
      "that each pane needs.")

  private def at(facts: Facts): String =
    facts.watermark.fold("there is no watermark yet")(mark => s"the watermark is ${instant(mark)}") +
      facts.newest.fold("")(newest => s", and the newest row is of ${instant(newest)}")

  private def waits(all: WaitingPanes): String =
    if (all.panes == 1) all.kind.one else s"${count(all.panes)} ${all.kind.several}"

  private def opened(n: Long): String = if (n == 1) "1 window is open" else s"${count(n)} windows are open"
}
