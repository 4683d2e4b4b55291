package windrow.spark.plan

import windrow._

/** What a spec can say and a query cannot do yet. */
private[spark] object QueryLimits {

  def apply(spec: WindowOperatorSpec): Seq[SpecProblem] = spec.window match {
    case _: Offsets | _: TupleSession => Seq(SpecProblem(
        "NOT_IN_QUERIES_YET",
        s"in a query the windows are ${spec.window}, which go by the offsets of the whole stream."))
    case _ => Nil
  }
}
