package windrow.spark.plan

import windrow._
import windrow.core.operator.ShardLimits

/** What a spec can say and a query cannot do yet. */
private[spark] object QueryLimits {

  def apply(spec: WindowOperatorSpec): Seq[SpecProblem] =
    ShardLimits.hindrance(spec).map(text => SpecProblem("NOT_IN_QUERIES_YET", s"in a query $text")).toSeq
}
