package windrow.spark.plan

import windrow._

/** What the core can do and a query cannot yet. */
private[spark] object QueryLimits {

  def apply(spec: WindowOperatorSpec): Seq[SpecProblem] = Seq(
    refuse(spec.window match {
      case _: FixedWindows | _: Session => false
      case _                            => true
    })(s"the windows are ${spec.window}; allowed are Tumbling without a zone, Hopping and Session."),
    refuse(spec.early != Never)(s"early is ${spec.early}; allowed is Never()."),
    refuse(!spec.onTime)("onTime is false; allowed is true."),
    refuse(spec.late match {
      case Never | EachMessage | EachStep | Every(_) => false
      case _                                         => true
    })(s"late is ${spec.late}; allowed are Never(), EachMessage(), EachStep() and Every(messages=n)."),
    refuse(spec.accumulation != Accumulating && spec.lateness.micros > 0)( // else it fires once: the modes are one
      s"the mode of accumulation is ${spec.accumulation}; allowed is ACCUMULATING."),
    refuse(spec.fireOnlyUpdated)("fireOnlyUpdated is true; allowed is false."),
    refuse(spec.complete != Completion.ByWatermark)(s"complete is '${spec.complete}'; allowed is 'watermark'."),
    refuse(spec.fillGaps)("fillGaps is true; allowed is false."),
    refuse(spec.retention.isStated)("retention is stated; a window is kept for its lateness."),
    refuse(spec.lateness == TimeSpan.Endless)("lateness is without end; state a duration.")).flatten

  private def refuse(when: Boolean)(text: => String): Option[SpecProblem] =
    Option.when(when)(SpecProblem("NOT_IN_QUERIES_YET", s"in a query $text"))
}
