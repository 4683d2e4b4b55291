package windrow.spark.pack

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.UnaryNode
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.windrow.SparkInside
import windrow.TimeSpan
import windrow.WindowOperatorSpec
import windrow.core.time.Watermark
import windrow.spark.functions.FunctionSet

/** All of a window query that is no expression over the current plan, and how its messages are packed.
  *
  * @param windows
  *   None: by policies
  * @param shards
  *   into how many shards keys are hashed; fixed for the life of a checkpoint
  * @param behind
  *   the watermark is the processing time less this
  */
abstract class PackRecipe(
    val windows: Option[WindowOperatorSpec],
    val functions: FunctionSet,
    val shards: Int,
    val shuffle: ShuffleMode,
    val behind: Option[TimeSpan])
    extends Serializable {

  /** @param keys
    *   in the form in which they are equal
    * @param watermark
    *   not below the one that shards judge by; None: not known
    * @param later
    *   plans what the messages come from
    */
  def planned(
      pack: Pack,
      keys: Seq[Expression],
      watermark: Option[Watermark],
      later: LogicalPlan => SparkPlan): SparkPlan

  /** How its messages travel to their shards, in words. */
  def travel(pack: Pack): String

  /** Every message by itself.
    *
    * @param carries
    *   whether a message travels with its row
    */
  protected final def each(
      pack: Pack,
      keys: Seq[Expression],
      carries: Expression,
      later: LogicalPlan => SparkPlan): SparkPlan = PackExec.of(
    packing(pack, keys, carries),
    pack.output,
    ReadCount(pack.metrics, Literal(1L), pack.end, later(pack.child)))

  private[pack] final def packing(pack: Pack, keys: Seq[Expression], carries: Expression): Packing = EntryPacking(
    keys,
    pack.time,
    carries,
    CreateStruct(pack.message),
    pack.end,
    PackLift.Each(functions, pack.inputs),
    windows.map(_.window),
    shuffle,
    shards,
    pack.gap,
    pack.sender,
    pack.pane)
}

/** Messages travel in the order in which they are applied, each with its row: full state keeps it, events of policies show
  * it.
  */
final class WholeMessages(
    windows: Option[WindowOperatorSpec],
    functions: FunctionSet,
    shards: Int,
    behind: Option[TimeSpan] = None)
    extends PackRecipe(
      windows,
      functions,
      shards,
      ShuffleMode(Some("they are kept or shown as they are"), ordered = false, whole = true),
      behind) {

  def travel(pack: Pack): String = shuffle.inWords

  def planned(
      pack: Pack,
      keys: Seq[Expression],
      watermark: Option[Watermark],
      later: LogicalPlan => SparkPlan): SparkPlan = each(pack, keys, Literal(true), later)
}

/** Messages of a stream on their way to the shards. */
private[spark] trait PackNode extends UnaryNode {

  /** It also reads the end of the input.
    *
    * @param rows
    *   its rows and, marked by the last column, those that are the end
    */
  def bounded(marker: EndMarker, rows: => LogicalPlan): LogicalPlan

  /** @param later
    *   plans what is below
    */
  def planned(session: SparkSession, later: LogicalPlan => SparkPlan): SparkPlan

  /** How messages travel to their shards, in words. */
  def travel: String

  /** How rows of the child are packed where none is combined with another: each goes with its message. */
  def alone: Packing

  override def producedAttributes: AttributeSet = outputSet
}

/** Messages on their way to the shards: lifts each, hashes its key, and packs it.
  *
  * Output: `packet` binary, `shard` int, and where they are sorted `order` binary; Spark reads the packet by its place. All
  * expressions are over the child.
  *
  * @param time
  *   event time, long microseconds; null if the message has none
  * @param gap
  *   session gap, long microseconds; empty for other windows
  * @param sender
  *   source string, partition long, offset long; or empty
  * @param pane
  *   of inherited windows: start long, end long, timing string, index long, is_retraction boolean, and what a retraction
  *   repeats; or empty
  * @param message
  *   the original row, packed along for messages that may be refused
  * @param tooFar
  *   the message is too far ahead of processing time; empty without that guard
  * @param end
  *   the row is no message but the end of the input; empty where that does not come
  * @param until
  *   where the end comes from
  * @param metrics
  *   under which the number of messages is observed
  */
final case class Pack(
    keys: Seq[Expression],
    time: Expression,
    gap: Seq[Expression],
    sender: Seq[Expression],
    pane: Seq[Expression],
    inputs: Seq[Expression],
    message: Seq[Expression],
    tooFar: Seq[Expression],
    end: Seq[Expression],
    until: Option[EndMarker],
    metrics: String,
    recipe: PackRecipe,
    output: Seq[Attribute],
    child: LogicalPlan)
    extends PackNode {

  def bounded(marker: EndMarker, rows: => LogicalPlan): LogicalPlan = {
    val marked = rows
    copy(end = Seq(marked.output.last), until = Some(marker), child = marked)
  }

  def planned(session: SparkSession, later: LogicalPlan => SparkPlan): SparkPlan = {
    val isOver = until.exists(_.hasEnd(session.sessionState.newHadoopConf()))
    recipe.planned(
      this,
      keys.map(SparkInside.normalized),
      if (isOver) Some(Watermark.End) else watermark.map(leaving),
      later)
  }

  def travel: String = recipe.travel(this)

  def alone: Packing = recipe.packing(this, keys.map(SparkInside.normalized), Literal(true))

  /** None behind processing time: clocks are set back, and delays made longer, while the shards remember how far they were. */
  private def watermark: Option[Watermark] =
    if (!child.isStreaming) Some(Watermark.None) else if (recipe.behind.isDefined) None else SparkInside.watermark

  /** With what may have left before this run, or before now if it is not known since when it runs. */
  private def leaving(watermark: Watermark): Watermark =
    watermark.copy(left = RunStart.watermark(metrics, watermark).getOrElse(watermark).micros)

  override protected def withNewChildInternal(newChild: LogicalPlan): LogicalPlan = copy(child = newChild)
}

/** The rows of each shard in their places; Spark refuses its own such node over a stream, where only a step is sorted. */
final case class SortStep(shard: Attribute, place: Attribute, child: LogicalPlan) extends UnaryNode {
  override def output: Seq[Attribute] = child.output

  override protected def withNewChildInternal(newChild: LogicalPlan): LogicalPlan = copy(child = newChild)
}
