package windrow.spark.aggregate

import windrow.WindowFamily._
import windrow._
import windrow.core.trigger.WindowTrigger
import windrow.spark.functions.FunctionSet
import windrow.spark.pack.ShuffleMode

/** Chooses how rows are sent to the shards: sorted if the order of a micro-batch affects which panes fire, and combined
  * if no result depends on the differences between rows of a key (SEMANTICS T3).
  */
private[spark] object ShuffleChoice {

  def apply(spec: WindowOperatorSpec, functions: FunctionSet, hasOrigin: Boolean, streaming: Boolean): ShuffleMode =
    ShuffleMode(
      sortedFor(spec, hasOrigin, streaming),
      ordered = functions.dependsOnOrder,
      whole = needsRows(spec.window))

  /** Returns the reason why the order of a micro-batch affects the output, if there is one. */
  private def sortedFor(spec: WindowOperatorSpec, hasOrigin: Boolean, streaming: Boolean): Option[String] = {
    val ofLate = spec.lateness.micros > 0 && firesWithMessage(spec.late)
    val shows = Seq(
      hasOrigin                           -> "duplicates are recognized by their offsets",
      showsOrder(spec.window)             -> s"${spec.window} depends on their order",
      (streaming && ofEach(spec.early))   -> "rows trigger early panes",
      (streaming && ofLate)               -> "rows trigger late panes",
      spec.fillsGaps                      -> "gaps are filled up to a row",
      (spec.closeOn != CloseOn.Watermark) -> "rows complete windows")
    shows.collectFirst { case (true, why) => why }
  }

  /** Whether messages must be sent with their rows, because only a shard can decide if it rejects them or because panes
    * show them.
    */
  private def needsRows(window: WindowKind): Boolean = window.family match {
    case _: Inherited | _: MessageWindows | _: OffsetFamily                                    => true
    case _: Aligned | SingleWindow | _: GapFamily | _: DistinctSets | _: Numbered | _: Several => false
  }

  /** Whether the order of a step's messages affects which windows exist. */
  private def showsOrder(window: WindowKind): Boolean = window.family match {
    case _: CutSessions | _: Inherited | _: MessageWindows | _: Numbered | _: OffsetFamily => true
    case _: Aligned | SingleWindow | _: Sessions | _: DistinctSets | _: Several            => false
  }

  private def ofEach(trigger: PaneTrigger): Boolean = WindowTrigger.parts(trigger).exists {
    case EachMessage | Every(_) => true
    case _                      => false
  }

  /** Whether late windows fire with a row. This includes a window that is already complete when its first row arrives,
    * unless it waits for the end of the micro-batch.
    */
  private def firesWithMessage(late: PaneTrigger): Boolean =
    ofEach(late) || !WindowTrigger.parts(late).contains(EachBatch)
}
