package windrow.explain

import windrow._

/** Describes which messages of a join match, and how long each one waits. */
private[explain] final class JoinText(spec: JoinSpec, on: Seq[String], conditions: Seq[String]) {

  /** @param watermarks
    *   by stream, those that Windrow sets
    */
  def clocks(watermarks: Map[String, Clock]): String =
    spec.names.map(name => watermarks.getOrElse(name, Clock.InputClock).of(name)).mkString(", ")

  def matching: String = (keys ++ within ++ conditions).mkString("; ")

  private def keys: Seq[String] = if (on.isEmpty) Nil else Seq(s"equal ${on.mkString(", ")} (null matches nothing)")

  private def within: Seq[String] = spec.within match {
    case Within.Everything         => Seq(JoinText.Everything)
    case Within.SameWindow(window) => Seq(s"both rows in the same window of $window")
    case Within.OwnWindows =>
      val shown =
        for {
          one <- spec.streams; window <- one.window
        } yield s"rows of '${one.name}' in its $window at the other row's position"
      Seq(if (shown.isEmpty) JoinText.Everything else shown.mkString(", or "))
    case Within.AsOf(direction, tolerance) =>
      val side = direction match {
        case AsofDirection.Backward => "at or before"
        case AsofDirection.Forward  => "at or after"
        case AsofDirection.Nearest  => "before or after"
      }
      Seq(s"the row of '${spec.names.last}' $side the row of '${spec.names.head}' that is nearest in event time" +
        tolerance.fold("")(span => s", at most $span apart"))
    case Within.Ranges(of) =>
      for {
        name <- spec.names; range <- of.get(name)
      } yield s"event time of '$name' minus event time of '${spec.names.head}' in ${inBrackets(range)}"
  }

  private def inBrackets(range: JoinRange): String =
    s"${if (range.isLowOpen) "(" else "["}${range.low}, ${range.high}${if (range.isHighOpen) ")" else "]"}"

  def rows: String = spec.early match {
    case Never               => s"one row for each row of '${spec.names.head}'$decided"
    case _ if isAsOf         => "in the micro-batch of a row; a retraction and a new row if a nearer row arrives"
    case EveryPeriod(period) => s"each combination once, every $period of processing time"
    case _                   => "each combination once, in the micro-batch of its latest row"
  }

  def alone: String =
    if (spec.isChain) s"each of the ${spec.names.size - 1} joins returns the rows of a ${spec.how} join$decided"
    else s"rows without a match ${JoinText.alone(spec.how)}${if (isAsOf) "" else decided}"

  private def isAsOf: Boolean = spec.within.isInstanceOf[Within.AsOf]

  private def decided: String = spec.how match {
    case JoinKind.Inner | JoinKind.Semi if !isAsOf => ""
    case _ =>
      val later = if (spec.lateness == TimeSpan.Zero || isEndless) "" else s" minus ${spec.lateness}"
      s" once the watermark$later has passed all possible matches"
  }

  private def isEndless: Boolean = spec.lateness == TimeSpan.Endless

  def rejected: String = Seq(
    Some("INVALID_TIME (no event time)"),
    spec.maxFuture.map(limit => s"TOO_FAR_AHEAD (more than $limit ahead of processing time)"),
    Option.unless(isEndless)(
      s"TOO_LATE (before the micro-batch, the watermark had passed the row's event time + ${spec.lateness})"),
    Option.when(spec.retention.time.isDefined || spec.retention.messages.isDefined)("OUT_OF_RETENTION")).flatten
    .mkString(", ")
}

private object JoinText {
  private val Everything = "all rows that the retention still keeps"

  private def alone(how: JoinKind): String = how match {
    case JoinKind.Inner => "are not emitted"
    case JoinKind.Semi  => "are not emitted; a row with matches is emitted once, with its first match"
    case JoinKind.Left  => "of the first stream are emitted with null for the other stream"
    case JoinKind.Right => "of the second stream are emitted with null for the other stream"
    case JoinKind.Full  => "are emitted with null for the other stream"
    case JoinKind.Anti  => "of the first stream are the only output"
  }
}
