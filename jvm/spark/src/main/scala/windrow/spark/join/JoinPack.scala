package windrow.spark.join

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.types.{BinaryType, IntegerType}
import org.apache.spark.sql.windrow.SparkInside
import windrow.spark.input.{InputReach, StreamTable, WholeNumber}
import windrow.spark.pack.{EndMarker, PackExec, PackNode, PackTask, ReadCount}

/** Packs the rows of one stream of a join for the shards, many in a packet. Their order does not affect the result of a
  * join. Each row is sent unchanged, because any of them may be needed.
  *
  * Output: `packet` binary, `shard` int. All expressions are over the child.
  *
  * @param stream
  *   the stream's position in the spec
  * @param name
  *   the name of the stream
  * @param keys
  *   the equality columns; if empty, all rows go to one shard
  * @param time
  *   the event time, a long in microseconds, or null if the row has none
  * @param sender
  *   partition long, offset long, source string; or empty
  * @param message
  *   the original row
  * @param end
  *   whether the row marks the end of the input; empty if the input is unbounded
  * @param metrics
  *   the name under which the number of rows is observed
  * @param reach
  *   how far the rows advance the watermark of their stream; empty if unknown
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

  /** Adds the end marker, to the first stream only. */
  def bounded(marker: EndMarker, rows: => LogicalPlan): LogicalPlan =
    if (stream > 0) this
    else {
      val marked = rows
      copy(end = Seq(marked.output.last), child = marked)
    }

  def planned(session: SparkSession, later: LogicalPlan => SparkPlan): SparkPlan =
    PackExec.of(alone, output, ReadCount(metrics, Literal(1L), end, later(child), reach))

  def travel: String = "many in a packet, each unchanged"

  def alone: PackTask =
    JoinPacking(stream, name, keys.map(SparkInside.normalized), time, sender, CreateStruct(message), end, shards)

  override protected def withNewChildInternal(newChild: LogicalPlan): LogicalPlan = copy(child = newChild)
}

object JoinPack {

  /** Packs a stream with its own watermark.
    *
    * @param number
    *   the stream's position in the spec
    * @param time
    *   the event time of its rows, a long in microseconds, or null if a row has none
    * @param table
    *   the table with its watermark
    * @param reaches
    *   how far its rows advance the watermark
    * @param metrics
    *   the name under which the number of rows is observed
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
      Seq("partition", "offset").zip(input.sender).map { case (as, part) => (WholeNumber(part), as) } ++
      (if (input.sender.isEmpty) Nil else Seq((input.sourceText, "source"))))
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
