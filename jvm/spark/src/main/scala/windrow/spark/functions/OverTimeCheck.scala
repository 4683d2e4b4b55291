package windrow.spark.functions

import windrow.{Discarding, SpecProblem, WindowOperatorSpec}

/** Checks where aggregates over time are used. */
private[spark] object OverTimeCheck {

  /** Returns a problem for each aggregate whose panes would show a part of the rows of their window. */
  def problems(windows: Option[WindowOperatorSpec], set: FunctionSet): Seq[SpecProblem] =
    if (windows.exists(_.accumulation == Discarding)) each(set, "OVER_TIME.DISCARDING") else Nil

  /** Returns a problem for each aggregate of an unchanged query of Spark, which knows no end of its windows. */
  def inSpark(set: FunctionSet): Seq[SpecProblem] = each(set, "OVER_TIME.ACCELERATED")

  private def each(set: FunctionSet, condition: String): Seq[SpecProblem] = set.functions.collect {
    case function: OverTime[_] => SpecProblem(condition, "aggregate" -> function.prettyName)
  }.distinct
}
