package windrow.spark.functions

import windrow.{Discarding, SpecProblem, WindowOperatorSpec}

/** Checks the windows of aggregates over time. */
private[spark] object OverTimeCheck {

  /** Returns a problem for each aggregate whose panes would show a part of the rows of their window. */
  def problems(windows: Option[WindowOperatorSpec], set: FunctionSet): Seq[SpecProblem] =
    set.functions.collect {
      case function: OverTime[_] if windows.exists(_.accumulation == Discarding) =>
        SpecProblem("OVER_TIME.DISCARDING", "aggregate" -> function.prettyName)
    }.distinct
}
