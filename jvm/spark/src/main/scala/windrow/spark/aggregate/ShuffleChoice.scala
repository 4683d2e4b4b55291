package windrow.spark.aggregate

import windrow._
import windrow.core.trigger.WindowTrigger
import windrow.spark.functions.FunctionSet
import windrow.spark.pack.ShuffleMode

/** How messages travel: sorted where the order of a step can show in which panes fire, combined where nothing tells
  * messages of a key apart (SEMANTICS T3).
  */
private[spark] object ShuffleChoice {

  def apply(spec: WindowOperatorSpec, functions: FunctionSet, hasOrigin: Boolean, streaming: Boolean): ShuffleMode = {
    val countsMessages = streaming && (ofEach(spec.early) || (spec.lateness.micros > 0 && firesWithMessage(spec.late)))
    val showsOrder =
      countsMessages || spec.fillGaps || spec.complete != Completion.ByWatermark || spec.window.showsOrder
    ShuffleMode(
      sorted = showsOrder || hasOrigin,
      combined = !functions.orderShows && !showsOrder && !hasOrigin,
      ordered = functions.orderShows,
      whole = spec.window.needsRows)
  }

  private def ofEach(trigger: PaneTrigger): Boolean = WindowTrigger.parts(trigger).exists {
    case EachMessage | Every(_) => true
    case _                      => false
  }

  /** Also a window that is complete when its first message comes fires with it, unless it waits for the end of the step. */
  private def firesWithMessage(late: PaneTrigger): Boolean =
    ofEach(late) || !WindowTrigger.parts(late).contains(EachStep)
}
