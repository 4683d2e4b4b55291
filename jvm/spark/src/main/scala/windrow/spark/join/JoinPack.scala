package windrow.spark.join

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.types.BinaryType
import org.apache.spark.sql.types.IntegerType
import org.apache.spark.sql.windrow.SparkInside
import windrow.spark.input.InputReach
import windrow.spark.input.Whole
import windrow.spark.input.StreamTable
import windrow.spark.pack.EndMarker
import windrow.spark.pack.PackExec
import windrow.spark.pack.PackNode
import windrow.spark.pack.Packing
import windrow.spark.pack.ReadCount

/** Messages of one stream of a join on their way to the shards, many in a row: the order in which they come does not show
  * in the rows of a join, and any of them may be needed as it is.
  *
  * Output: `packet` binary, `shard` int. All expressions are over the child.
  *
  * @param stream
  *   its place in the spec
  * @param name
  *   the source of its messages' offsets
  * @param keys
  *   the equality fields; none: all messages meet in one shard
  * @param time
  *   event time, long microseconds; null if the message has none
  * @param sender
  *   partition long, offset long; or empty
  * @param message
  *   the original row
  * @param end
  *   the row is no message but the end of the input; empty where that does not come
  * @param metrics
  *   under which the number of messages is observed
  * @param reach
  *   how far they bring the watermark of their stream; empty where that is not told
  */
final case class JoinPack(
    stream: Int,
    name: String,
    keys: Seq[Expression],
    time: Expression,
    sender: Seq[Expression],
    message: Seq[Expression],
    end: Seq[Expression],
    metrics: String,
    reach: Seq[Attribute],
    shards: Int,
    output: Seq[Attribute],
    child: LogicalPlan)
    extends PackNode {

  /** One of the streams brings the end. */
  def bounded(marker: EndMarker, rows: => LogicalPlan): LogicalPlan =
    if (stream > 0) this
    else {
      val marked = rows
      copy(end = Seq(marked.output.last), child = marked)
    }

  def planned(session: SparkSession, later: LogicalPlan => SparkPlan): SparkPlan =
    PackExec.of(alone, output, ReadCount(metrics, Literal(1L), end, later(child), reach))

  def travel: String = "many in a packet, each as it is"

  def alone: Packing =
    JoinPacking(stream, name, keys.map(SparkInside.normalized), time, sender, CreateStruct(message), end, shards)

  override protected def withNewChildInternal(newChild: LogicalPlan): LogicalPlan = copy(child = newChild)
}

object JoinPack {

  /** A stream's, with its own watermark.
    *
    * @param number
    *   its place in the spec
    * @param time
    *   of its messages, long microseconds; null if a message has none
    * @param table
    *   with its watermark
    * @param reaches
    *   how far its rows bring that
    * @param metrics
    *   under which the number of messages is observed
    */
  def of(
      input: StreamTable,
      number: Int,
      time: Expression,
      table: LogicalPlan,
      reaches: Option[Expression],
      shards: Int,
      metrics: String): LogicalPlan = {
    val reach  = reaches.map(Alias(_, InputReach.Name)()).toSeq
    val micros = Alias(time, "time")()
    val named = (input.keys.zipWithIndex.map { case (key, i) => (key, s"key$i") } ++
      Seq("partition", "offset").zip(input.sender).map { case (as, part) => (Whole(part), as) })
      .map { case (value, as) => Alias(value, as)() }
    val (key, from) = named.map(_.toAttribute).splitAt(input.keys.size)
    JoinPack(
      number,
      input.name,
      key,
      micros.toAttribute,
      from,
      input.message,
      Nil,
      metrics,
      reach.map(_.toAttribute),
      shards,
      output,
      Project(input.message ++ (micros +: named) ++ reach, table))
  }

  private def output: Seq[Attribute] = Seq(
    AttributeReference("packet", BinaryType, nullable = false)(),
    AttributeReference("shard", IntegerType, nullable = false)())
}
