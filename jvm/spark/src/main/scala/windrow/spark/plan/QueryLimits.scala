package windrow.spark.plan

import windrow._

/** What a spec can say and a query cannot do yet. */
private[spark] object QueryLimits {

  def apply(spec: WindowOperatorSpec): Seq[SpecProblem] = Seq(
    refuse(spec.window.isInstanceOf[TupleWindows])(s"the windows are ${spec.window}, which go by positions."),
    refuse(spec.window.isInstanceOf[Inherit])(s"the windows are ${spec.window}, which come with panes."),
    refuse(spec.complete != Completion.ByWatermark)(s"complete is '${spec.complete}'; allowed is 'watermark'."),
    refuse(spec.fillGaps)("fillGaps is true; allowed is false."),
    refuse(spec.retention.messages.isDefined || spec.retention.windows.isDefined)(
      "retention has a number of messages or windows; allowed is a time."),
    refuse(spec.lateness == TimeSpan.Endless)("lateness is without end; state a duration.")).flatten

  private def refuse(when: Boolean)(text: => String): Option[SpecProblem] =
    Option.when(when)(SpecProblem("NOT_IN_QUERIES_YET", s"in a query $text"))
}
