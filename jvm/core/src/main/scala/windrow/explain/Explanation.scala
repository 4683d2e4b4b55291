package windrow.explain

import windrow._

/** Describes a spec as text: when its windows fire and when they leave the state. Python prints the same text. */
object Explanation {
  private def apart(what: String) =
    s"$what, rejected, and output that you write yourself are separate queries, each with its own state; " +
      "start(...) runs one query for all"

  /** The description of a windowed operator.
    *
    * @param about
    *   description of the messages
    * @param clock
    *   source of the watermark
    */
  def apply(spec: WindowOperatorSpec, about: String, clock: Clock, keepsMessages: Boolean = false): String = {
    val words = new Words(spec, keepsMessages)
    val rows = Seq(
      "windows"   -> spec.window.inWords,
      "watermark" -> s"$clock; it advances after each micro-batch",
      "early"     -> words.often(spec.early, "no panes"),
      "on time"   -> (if (spec.onTime) s"one pane when ${words.complete}" else "no pane"),
      "late"      -> words.late,
      "panes"     -> words.mode)
    val rest = Seq(
      "state"    -> s"a window is removed when ${words.closed}",
      "rejected" -> words.rejected,
      "queries"  -> apart("panes"))
    lines(s"${spec.window} over $about", rows ++ words.gaps.map("gaps" -> _) ++ rest: _*)
  }

  /** The description of windows with policies. */
  def apply(spec: PolicyWindowSpec, about: String): String = lines(
    s"Policy ${spec.eviction} over $about",
    "windows" -> PolicyText(spec.eviction),
    "panes"   -> "each contains all rows that leave, or all rows that are inside when it fires",
    "state"   -> "the rows inside, and for each key the number of panes and events",
    "queries" -> apart("panes"))

  /** The description of a deduplication. */
  def apply(spec: DedupSpec, about: String, clock: Clock): String = {
    val lateness = if (spec.lateness == TimeSpan.Zero) "" else s" by more than ${spec.lateness}"
    val by       = if (spec.orderBy.isEmpty) "event time" else spec.orderBy.mkString(", ")
    val (duplicates, rows, state) = spec.keep match {
      case Keep.First => (
          s"rows of a key whose event times differ by at most ${spec.within} from that of a kept row",
          "the first row of each group of duplicates, in the micro-batch in which it arrives",
          "the key and the time of each kept row, until no row in time can be its duplicate")
      case Keep.Last => (
          s"rows of a key that a row follows in the order of $by, whose event time differs by at most ${spec.within}",
          if (spec.retracts) "each row without a following one, at once; a retraction when another row follows it"
          else s"each row without a following one, when the watermark has passed its time by ${spec.span}",
          s"the rows that may still be kept, and the times of their duplicates, for ${spec.span}")
    }
    lines(
      s"$spec over $about",
      "duplicates" -> duplicates,
      "watermark"  -> s"$clock; it advances after each micro-batch",
      "rows"       -> rows,
      "state"      -> state,
      "rejected" -> (Seq("INVALID_TIME (no event time)") ++
        spec.maxFuture.map(limit => s"TOO_FAR_AHEAD (more than $limit ahead of processing time)") ++
        Seq(s"TOO_LATE (before the watermark$lateness)", "DUPLICATE (another row was kept)")).mkString(", "),
      "queries" -> apart("rows"))
  }

  /** The description of a search for a pattern. */
  def apply(spec: MatchSpec, about: String, clock: Clock): String = {
    val lateness = if (spec.lateness == TimeSpan.Zero) "" else s" by more than ${spec.lateness}"
    val next = spec.after match {
      case AfterMatch.PastLastRow => "after the last row of a match"
      case AfterMatch.NextRow     => "after the first row of a match"
    }
    lines(
      s"$spec over $about",
      "conditions" -> spec.names.map { name =>
        val text = spec.define.collectFirst { case (defined, text) if defined.equalsIgnoreCase(name) => text }
        s"$name: ${text.fold("every row")(one => if (one.isEmpty) "a column" else one)}"
      }.mkString(", "),
      "watermark" -> s"$clock; it advances after each micro-batch",
      "matches" -> ("each when rows before the watermark decide it" +
        spec.within.fold("")(span => s", at the latest $span after its first row") + s"; the next one begins $next"),
      "late" -> (if (spec.retracts) s"a row that is late by at most ${spec.lateness} retracts and emits matches"
                 else "no match changes"),
      "state" -> "the rows that a match can still need, and the matches that can still be retracted",
      "rejected" -> (Seq("INVALID_TIME (no event time)") ++
        spec.maxFuture.map(limit => s"TOO_FAR_AHEAD (more than $limit ahead of processing time)") :+
        s"TOO_LATE (before the watermark$lateness)").mkString(", "),
      "queries" -> apart("rows"))
  }

  /** The description of a join.
    *
    * @param on
    *   names of the equal columns
    * @param watermarks
    *   by stream, those that Windrow sets
    * @param behind
    *   the delay of a watermark that is the processing time minus this
    * @param conditions
    *   further conditions, as text
    */
  def apply(
      spec: JoinSpec,
      on: Seq[String],
      watermarks: Map[String, Clock],
      behind: Option[TimeSpan],
      conditions: Seq[String]): String = {
    val words = new JoinText(spec, on, conditions)
    lines(
      s"${spec.how} join of ${spec.streams.size} streams",
      "streams" -> spec.names.map(name => s"'$name'").mkString(", "),
      "watermark" -> behind.fold(s"the minimum of ${words.clocks(watermarks)}; it advances after each micro-batch")(
        delay =>
          Clock(None, Some(delay)).toString),
      "match"    -> words.matching,
      "rows"     -> words.rows,
      "alone"    -> words.alone,
      "rejected" -> words.rejected,
      "queries"  -> apart("rows"))
  }

  private def lines(head: String, named: (String, String)*): String =
    (head +: named.map { case (name, text) => s"  ${name.padTo(10, ' ')} $text" }).mkString("\n")

  private final class Words(spec: WindowOperatorSpec, keepsMessages: Boolean) {

    /** Describes when a window is complete. */
    def complete: String = spec.window.completedBy.getOrElse(
      if (spec.closeOn == CloseOn.NextRow)
        s"its key has received a row past the end of the window, or the watermark $reaches"
      else s"the watermark $reaches")

    /** Describes when a window accepts no more messages. */
    def closed: String =
      if (!spec.window.canBeLate) complete
      else if (spec.lateness == TimeSpan.Endless) "its retention ends"
      else if (!spec.window.isLateByOffsets) s"the watermark $reaches${if (isStrict) "" else s" + ${spec.lateness}"}"
      else if (isStrict) complete
      else s"${spec.lateness.micros} offsets after its last one have been read"

    private def isStrict = spec.lateness == TimeSpan.Zero

    private def reaches: String = spec.window.completesAs

    def late: String =
      if (!spec.window.canBeLate || (isStrict && spec.window.isLateByOffsets)) "no panes; rows are never late"
      else if (isStrict) s"no panes; lateness is ${TimeSpan.Zero}"
      else s"${often(spec.late, "one pane at the end, if late rows arrived")}, until $closed"

    def often(trigger: PaneTrigger, never: String): String = trigger match {
      case EachBatch           => "one pane for each micro-batch that changes the window"
      case EachMessage         => "one pane for each row"
      case EveryPeriod(period) => s"one pane every $period of processing time, if rows arrived"
      case Every(messages)     => s"one pane for every $messages rows"
      case AnyOf(triggers)     => triggers.map(often(_, never)).mkString("; or ")
      case Never               => never
    }

    def mode: String = {
      val held = spec.accumulation match {
        case _ if keepsMessages =>
          "the rows that the window received since its previous pane, each row once"
        case Discarding   => "the rows that the window received since its previous pane"
        case Accumulating => "all rows of the window so far"
        case AccumulatingAndRetracting =>
          "all rows of the window so far; every pane after the first retracts the previous one"
      }
      if (spec.skipUnchanged) s"$held; a pane with the same value as the previous one is not emitted" else held
    }

    /** Describes the panes of windows without rows. */
    def gaps: Option[String] = Option.when(spec.fillGaps != TimeSpan.Zero) {
      val until =
        if (spec.fillGaps == TimeSpan.Endless) "" else s", up to ${spec.fillGaps} after its last window with rows"
      val value = spec.gapValues.fold("the aggregate of no rows")(values => s"these values: $values")
      s"the windows of a key without rows emit panes too$until, with $value"
    }

    def rejected: String = {
      val whose = spec.window.family match {
        case _: WindowFamily.GapFamily => "the row's own window"
        case _: WindowFamily.Several   => "all windows of the row with one name"
        case _: WindowFamily.Aligned | WindowFamily.SingleWindow | _: WindowFamily.Inherited | _: WindowFamily.Run |
            _: WindowFamily.Numbered | _: WindowFamily.OffsetFamily =>
          "all windows of the row"
      }
      val isLate      = spec.window.canBeLate || spec.window.goesByOffsets
      val isForgotten = spec.window.bounds != Positions
      Seq(
        Some("INVALID_TIME (no event time)"),
        spec.maxFuture.map(limit => s"TOO_FAR_AHEAD (more than $limit ahead of processing time)"),
        Option.when(isLate)(s"TOO_LATE ($whose had closed before the micro-batch; a window closes when $closed)"),
        spec.retention.time.filter(_ => isForgotten).map { kept =>
          val late = if (spec.window.bounds == Unbounded) "" else "too late, and "
          s"OUT_OF_RETENTION (${late}more than $kept behind the watermark)"
        }).flatten.mkString(", ")
    }
  }
}
