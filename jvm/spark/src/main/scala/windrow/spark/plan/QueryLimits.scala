package windrow.spark.plan

import windrow._

/** What a spec can say and a query cannot do yet. */
private[spark] object QueryLimits {

  def apply(spec: WindowOperatorSpec): Seq[SpecProblem] = spec.window match {
    case _: Inherit => refuse(spec, "which come with panes")
    case _          => Nil
  }

  private def refuse(spec: WindowOperatorSpec, why: String): Seq[SpecProblem] =
    Seq(SpecProblem("NOT_IN_QUERIES_YET", s"in a query the windows are ${spec.window}, $why."))
}
