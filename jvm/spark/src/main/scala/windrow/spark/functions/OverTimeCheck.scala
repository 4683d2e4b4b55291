package windrow.spark.functions

import org.apache.spark.sql.catalyst.expressions.{Alias, BoundReference}
import windrow._

/** Checks the windows of aggregates over time. */
private[spark] object OverTimeCheck {

  /** Returns a problem for each aggregate whose panes would show a part of the rows of their window, and for each one
    * that carries values into windows that do not support it.
    */
  def problems(windows: Option[WindowOperatorSpec], set: FunctionSet): Seq[SpecProblem] =
    (set.functions.collect {
      case function: OverTime[_] if windows.exists(_.accumulation == Discarding) =>
        SpecProblem("OVER_TIME.DISCARDING", "aggregate" -> function.prettyName)
    } ++ set.functions.collect {
      case function: OverTime[_] if function.carry.isDefined => carried(windows, function.prettyName)
    }.flatten).distinct

  /** Values are carried into windows that have a start, contain every time, and are completed by the watermark. */
  private def carried(windows: Option[WindowOperatorSpec], aggregate: String): Seq[SpecProblem] =
    Option.when(!windows.exists(spec => isWithoutGaps(spec.window)))(SpecProblem(
      "OVER_TIME.CARRY_WINDOW",
      "aggregate" -> aggregate,
      "window"    -> windows.fold("a window by policies")(_.window.toString))).toSeq ++
      Option.when(windows.exists(_.closeOn == CloseOn.NextRow))(
        SpecProblem("OVER_TIME.CARRY_NEXT_ROW", "aggregate" -> aggregate)) ++
      Option.when(windows.exists(_.gapValues.isDefined))(
        SpecProblem("OVER_TIME.CARRY_GAP_VALUES", "aggregate" -> aggregate))

  private def isWithoutGaps(window: WindowKind): Boolean = window match {
    case hopping: Hopping => hopping.step.micros <= hopping.size.micros
    case other            => other.family.isInstanceOf[WindowFamily.Aligned]
  }

  /** Returns problems of aggregates of a match, which has no earlier windows and no window for each row. */
  def ofMeasures(set: FunctionSet): Seq[SpecProblem] = set.functions.collect {
    case function: OverTime[_] if function.carry.isDefined =>
      SpecProblem("MATCH_EXPRESSION.CARRY", "aggregate" -> function.prettyName)
    case _: Lag => SpecProblem("MATCH_EXPRESSION.LAG")
  }.distinct

  /** Whether a value is carried by a time other than the event time, before the event time replaces [[StreamTime]]. */
  def carriesByOtherTime(set: FunctionSet, inputs: Seq[Alias]): Boolean = set.functions.exists {
    case function: OverTime[_] if function.carry.isDefined =>
      function.time match {
        case BoundReference(at, _, _) => inputs(at).child != StreamTime
        case other                    => other != StreamTime
      }
    case _ => false
  }

  val otherTime: SpecProblem = SpecProblem("OVER_TIME.CARRY_TIME")
}
