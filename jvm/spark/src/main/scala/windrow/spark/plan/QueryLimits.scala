package windrow.spark.plan

import windrow._

/** What a spec can say and a query cannot do yet. */
private[spark] object QueryLimits {

  def apply(options: QueryOptions): Seq[SpecProblem] = {
    val events = Option.when(options.output == EventsOutput && !options.spec.isInstanceOf[QuerySpec.Policies])(
      SpecProblem("NO_EVENTS", "only windows of policies have events; take panes or rejected."))
    ofWindows(options.spec) ++ events
  }

  private def ofWindows(spec: QuerySpec): Seq[SpecProblem] = spec.window match {
    case Some(inherit: Inherit) =>
      Seq(SpecProblem("NOT_IN_QUERIES_YET", s"in a query the windows are $inherit, which come with panes."))
    case _ => Nil
  }
}
