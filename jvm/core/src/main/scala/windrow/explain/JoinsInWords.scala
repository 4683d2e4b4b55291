package windrow.explain

import windrow._

/** Describes which messages of a join match, and how long each one waits. */
private[explain] final class JoinsInWords(spec: JoinSpec, on: Seq[String]) {

  def clocks(delays: Map[String, TimeSpan]): String = spec.names.map(name =>
    delays.get(name).fold(s"'$name' ${Clock.OfInput}")(delay =>
      s"greatest event time of '$name' less $delay")).mkString(", ")

  def matching: String = (keys ++ within).mkString("; ")

  private def keys: Seq[String] = if (on.isEmpty) Nil else Seq(s"equal ${on.mkString(", ")}, null equals nothing")

  private def within: Seq[String] = spec.within match {
    case Within.Everything         => Seq(JoinsInWords.Everything)
    case Within.SameWindow(window) => Seq(s"both in one of $window")
    case Within.OwnWindows =>
      val shown =
        for { one <- spec.streams; window <- one.window } yield s"'${one.name}' as $window shows it to the other"
      if (shown.isEmpty) Seq(JoinsInWords.Everything) else shown
    case Within.Ranges(of) =>
      for {
        name <- spec.names; range <- of.get(name)
      } yield s"event time of '$name' less that of '${spec.names.head}' in ${inBrackets(range)}"
  }

  private def inBrackets(range: JoinRange): String =
    s"${if (range.isLowOpen) "(" else "["}${range.low}, ${range.high}${if (range.isHighOpen) ")" else "]"}"

  def rows: String = spec.early match {
    case EveryPeriod(period) => s"every $period of processing time, each once"
    case _                   => "in the micro-batch of the later message, each once"
  }

  def alone: String = s"messages without a match ${JoinsInWords.alone(spec.how)}$decided"

  private def decided: String = spec.how match {
    case JoinKind.Inner | JoinKind.Semi => ""
    case _ =>
      val later = if (spec.lateness == TimeSpan.Zero || isEndless) "" else s" less ${spec.lateness}"
      s" once the watermark$later has passed all that could match"
  }

  private def isEndless: Boolean = spec.lateness == TimeSpan.Endless

  def rejected: String = Seq(
    Some("INVALID_TIME (no event time)"),
    spec.maxFuture.map(limit => s"TOO_FAR_AHEAD (more than $limit ahead of processing time)"),
    Option.unless(isEndless)(s"TOO_LATE (before the batch, the watermark was past it + ${spec.lateness})"),
    Option.when(spec.retention.time.isDefined || spec.retention.messages.isDefined)("OUT_OF_RETENTION")).flatten
    .mkString(", ")
}

private object JoinsInWords {
  private val Everything = "all that retention still holds"

  private def alone(how: JoinKind): String = how match {
    case JoinKind.Inner => "do not come out"
    case JoinKind.Semi  => "do not come out; others come once, with their first match"
    case JoinKind.Left  => "of the first stream come out with null for the other"
    case JoinKind.Right => "of the second stream come out with null for the other"
    case JoinKind.Full  => "come out with null for the other"
    case JoinKind.Anti  => "of the first stream are all that comes out"
  }
}
