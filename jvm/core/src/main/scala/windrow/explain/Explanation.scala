package windrow.explain

import windrow._

/** Describes a spec as text: when its windows fire and when they leave the state. Python prints the same text. */
object Explanation {
  private def apart(what: String) =
    s"$what, rejected and output written apart are queries of their own, each with its own state; start(...) shares one"

  /** The description of a windowed operator.
    *
    * @param about
    *   description of the messages
    * @param clock
    *   source of the watermark
    */
  def apply(spec: WindowOperatorSpec, about: String, clock: Clock, keepsMessages: Boolean = false): String = {
    val words = new Words(spec, keepsMessages)
    lines(
      s"${spec.window} over $about",
      "windows"   -> spec.window.inWords,
      "watermark" -> s"$clock; it moves after each micro-batch",
      "early"     -> words.often(spec.early, "no panes"),
      "on time"   -> (if (spec.onTime) s"one pane when ${words.complete}" else "no pane"),
      "late"      -> words.late,
      "panes"     -> words.mode,
      "state"     -> s"a window leaves it when ${words.closed}",
      "rejected"  -> words.rejected,
      "queries"   -> apart("panes"))
  }

  /** The description of windows with policies. */
  def apply(spec: PolicyWindowSpec, about: String): String = lines(
    s"Policy ${spec.eviction} over $about",
    "windows" -> PoliciesInWords(spec.eviction),
    "panes"   -> "each holds all messages that leave, or that are inside as it fires",
    "state"   -> "the messages inside, and the numbers of panes and events of each key",
    "queries" -> apart("panes"))

  /** The description of a join.
    *
    * @param on
    *   names of the equal columns
    * @param delays
    *   by stream, the delay of a watermark that is the greatest event time minus this
    */
  def apply(spec: JoinSpec, on: Seq[String], delays: Map[String, TimeSpan]): String = {
    val words = new JoinsInWords(spec, on)
    lines(
      s"${spec.how} join of ${spec.streams.size} streams",
      "streams"   -> spec.names.map(name => s"'$name'").mkString(", "),
      "watermark" -> s"the least of ${words.clocks(delays)}; it moves after each micro-batch",
      "match"     -> words.matching,
      "rows"      -> words.rows,
      "alone"     -> words.alone,
      "rejected"  -> words.rejected,
      "queries"   -> apart("rows"))
  }

  private def lines(head: String, said: (String, String)*): String =
    (head +: said.map { case (name, text) => s"  ${name.padTo(10, ' ')} $text" }).mkString("\n")

  private final class Words(spec: WindowOperatorSpec, keepsMessages: Boolean) {

    /** Describes when a window is complete. */
    def complete: String = spec.window.completedBy.getOrElse(
      if (spec.closeOn == CloseOn.NextRow)
        s"its key has a message past its end, or the watermark $reaches"
      else s"the watermark $reaches")

    /** Describes when a window accepts no more messages. */
    def closed: String =
      if (!spec.window.canBeLate) complete
      else if (spec.lateness == TimeSpan.Endless) "the retention says so"
      else if (!spec.window.isLateByOffsets) s"the watermark $reaches${if (isStrict) "" else s" + ${spec.lateness}"}"
      else if (isStrict) complete
      else s"${spec.lateness.micros} offsets past its last are in"

    private def isStrict = spec.lateness == TimeSpan.Zero

    private def reaches: String = spec.window.completesAs

    def late: String =
      if (!spec.window.canBeLate || (isStrict && spec.window.isLateByOffsets)) "no panes; nothing is late"
      else if (isStrict) s"no panes; lateness is ${TimeSpan.Zero}"
      else s"${often(spec.late, "one pane at the end, if anything came")}, until $closed"

    def often(trigger: PaneTrigger, never: String): String = trigger match {
      case EachBatch           => "one pane for each micro-batch that changes the window"
      case EachMessage         => "one pane for each message"
      case EveryPeriod(period) => s"one pane every $period of processing time, if anything came"
      case Every(messages)     => s"one pane for every $messages messages"
      case AnyOf(triggers)     => triggers.map(often(_, never)).mkString("; or ")
      case Never               => never
    }

    def mode: String = {
      val held = spec.accumulation match {
        case _ if keepsMessages =>
          "the messages that came to the window since its last one, each message once"
        case Discarding                => "what came since the window's last one"
        case AccumulatingAndRetracting => "the whole window so far; each but the first retracts the one before"
        case Accumulating              => "the whole window so far"
      }
      if (spec.skipUnchanged) s"$held; none with the value of the last one" else held
    }

    def rejected: String = {
      val whose = spec.window.family match {
        case _: WindowFamily.Sessions => "the message's own window"
        case _: WindowFamily.Aligned | WindowFamily.Everything | _: WindowFamily.Inherited | _: WindowFamily.Run |
            _: WindowFamily.Numbered | _: WindowFamily.OnOffsets =>
          "all its windows"
      }
      val isLate      = spec.window.canBeLate || spec.window.goesByOffsets
      val isForgotten = spec.window.bounds != Positions
      Seq(
        Some("INVALID_TIME (no event time)"),
        spec.maxFuture.map(limit => s"TOO_FAR_AHEAD (more than $limit ahead of processing time)"),
        Option.when(isLate)(s"TOO_LATE (before the batch, for $whose: $closed)"),
        spec.retention.time.filter(_ => isForgotten).map { kept =>
          s"OUT_OF_RETENTION (${if (spec.window.bounds == Unbounded) "" else "too late, and "}more than $kept behind the watermark)"
        }).flatten.mkString(", ")
    }
  }
}
