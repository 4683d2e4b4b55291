package windrow.spark.pack

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.windrow.SparkInside
import windrow.core.time.Watermark
import windrow.spark.functions.FunctionSet
import windrow.{TimeSpan, WindowOperatorSpec}

/** Everything in a window query that is not an expression over the present plan, and the way in which its rows are
  * packed.
  *
  * @param windows
  *   the windows; None for policy windows
  * @param shards
  *   the number of shards into which keys are hashed. Fixed for the lifetime of a checkpoint.
  * @param behind
  *   the delay of a watermark that is the processing time minus this
  */
abstract class PackRecipe(
    val windows: Option[WindowOperatorSpec],
    val functions: FunctionSet,
    val shards: Int,
    val shuffle: ShuffleMode,
    val behind: Option[TimeSpan])
    extends Serializable {

  /** Returns an expression whose bytes are equal for equal keys. */
  def comparable(key: Expression): Expression = SparkInside.normalized(key)

  /** Plans the packing.
    *
    * @param keys
    *   comparable keys
    * @param watermark
    *   not below the watermark by which shards judge; None if unknown
    * @param later
    *   plans the source of the rows
    */
  def planned(
      pack: Pack,
      keys: Seq[Expression],
      watermark: Option[Watermark],
      later: LogicalPlan => SparkPlan): SparkPlan

  /** Describes how rows are sent to their shards. */
  def travel(pack: Pack): String

  /** Packs every row separately.
    *
    * @param carries
    *   whether a row is sent with its original columns
    */
  protected final def each(
      pack: Pack,
      keys: Seq[Expression],
      carries: Expression,
      later: LogicalPlan => SparkPlan): SparkPlan = PackExec.of(
    packing(pack, keys, carries),
    pack.output,
    ReadCount(pack.metrics, Literal(1L), pack.end, later(pack.child)))

  private[pack] final def packing(pack: Pack, keys: Seq[Expression], carries: Expression): PackTask = EntryPacking(
    keys,
    pack.time,
    carries,
    CreateStruct(pack.message),
    pack.end,
    PackLift.Each(functions, pack.inputs),
    windows.map(_.window),
    shuffle,
    shards,
    pack.value,
    pack.sender,
    pack.pane,
    pack.marks.map(SparkInside.normalized))
}

/** Sends rows with their original columns: full state and searches for patterns store them, and events of policy windows
  * show them.
  *
  * @param sortedFor
  *   why they are sent in the order in which they are applied, in explanations; None if the order does not matter
  * @param byArrival
  *   whether rows are applied in the order in which tasks read them
  */
class WholeMessages(
    windows: Option[WindowOperatorSpec],
    functions: FunctionSet,
    shards: Int,
    behind: Option[TimeSpan] = None,
    sortedFor: Option[String] = Some("they are stored or emitted unchanged"),
    byArrival: Boolean = false)
    extends PackRecipe(
      windows,
      functions,
      shards,
      ShuffleMode(sortedFor, ordered = false, whole = true, byArrival = byArrival),
      behind) {

  def travel(pack: Pack): String = shuffle.inWords

  def planned(
      pack: Pack,
      keys: Seq[Expression],
      watermark: Option[Watermark],
      later: LogicalPlan => SparkPlan): SparkPlan = each(pack, keys, Literal(true), later)
}

/** Sends the rows of a stream to the shards. */
private[spark] trait PackNode extends UnaryNode {

  /** Adds the end of the input to this node's input.
    *
    * @param rows
    *   its rows, and rows that mark the end. The last column distinguishes them.
    */
  def bounded(marker: EndMarker, rows: => LogicalPlan): LogicalPlan

  /** Plans this node.
    *
    * @param later
    *   plans the child
    */
  def planned(session: SparkSession, later: LogicalPlan => SparkPlan): SparkPlan

  /** Describes how rows are sent to their shards. */
  def travel: String

  /** The packing of rows that are not combined. Each is sent with its original columns. */
  def alone: PackTask

  override def producedAttributes: AttributeSet = outputSet
}

/** Prepares rows for the shards: converts each to buffers, hashes its key, and packs it.
  *
  * Output: `packet` binary, `shard` int, and `order` binary if packets are sorted. Spark reads the packet by its
  * position. All expressions are over the child.
  *
  * @param time
  *   the event time, a long in microseconds, or null if the row has none
  * @param value
  *   the value for the windows of the row, a long; empty if they need none
  * @param marks
  *   for sessions that more than a gap ends: whether the row ends its session, and the values whose change begins another
  *   one; or empty
  * @param sender
  *   source string, partition long, offset long; or empty
  * @param pane
  *   for `Inherit` windows: start long, end long, timing string, index long, is_retraction boolean, and the values that
  *   a retraction repeats; or empty
  * @param message
  *   the original row, which is sent for rows that may be rejected
  * @param tooFar
  *   whether the row is too far ahead of processing time; empty without that guard
  * @param end
  *   whether the row marks the end of the input; empty if the input is unbounded
  * @param until
  *   the source of the end
  * @param metrics
  *   the name under which the number of rows is observed
  */
final case class Pack(
    keys: Seq[Expression],
    time: Expression,
    value: Seq[Expression],
    marks: Seq[Expression],
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
      keys.map(recipe.comparable),
      if (isOver) Some(Watermark.End) else watermark.map(leaving),
      later)
  }

  def travel: String = recipe.travel(this)

  def alone: PackTask = recipe.packing(this, keys.map(recipe.comparable), Literal(true))

  /** The watermark, which is not below that of the shards (SEMANTICS R97), or None if it follows processing time: clocks
    * may be set back and delays become longer, but the shards remember the greatest watermark.
    */
  private def watermark: Option[Watermark] =
    if (!child.isStreaming) Some(Watermark.None)
    else if (recipe.behind.isDefined) None
    else SparkInside.watermark.map(_.max(Watermark(0)))

  /** Adds the watermark up to which windows may have left before this run, or the present one if the start of the run
    * is unknown.
    */
  private def leaving(watermark: Watermark): Watermark =
    watermark.copy(left = RunStart.watermark(metrics, watermark).getOrElse(watermark).micros)

  override protected def withNewChildInternal(newChild: LogicalPlan): LogicalPlan = copy(child = newChild)
}

/** Sorts the rows of each shard by their place. Spark does not allow its own sort node over a stream, where only the
  * rows of a step are sorted.
  */
final case class SortStep(shard: Attribute, place: Attribute, child: LogicalPlan) extends UnaryNode {
  override def output: Seq[Attribute] = child.output

  override protected def withNewChildInternal(newChild: LogicalPlan): LogicalPlan = copy(child = newChild)
}
