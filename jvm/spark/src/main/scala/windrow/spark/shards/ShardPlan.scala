package windrow.spark.shards

import org.apache.spark.sql.Encoder
import org.apache.spark.sql.Encoders
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.GetColumnByOrdinal
import org.apache.spark.sql.catalyst.encoders.encoderFor
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.streaming.StatefulProcessor
import org.apache.spark.sql.streaming.TimeMode
import org.apache.spark.sql.types.BinaryType
import windrow._
import windrow.core.time.Axis
import windrow.core.time.Distance
import windrow.spark.pack.CallShards
import windrow.spark.pack.Packets
import windrow.spark.pack.PlacedPacket
import windrow.spark.pack.SortStep

/** From packets to what the shards give, one binary column.
  *
  * Packets have the columns `packet` binary, `shard` int, and where their order counts `order` binary.
  */
private[windrow] object ShardPlan {

  /** Spark setting: into how many shards keys are hashed. A checkpoint keeps the number that it was begun with. */
  val Setting = "spark.windrow.shards"
  val Default = 128

  private implicit val int: Encoder[Int]           = Encoders.scalaInt
  private implicit val bytes: Encoder[Array[Byte]] = Encoders.BINARY

  private val placed: Encoder[PlacedPacket.Type] = Encoders.tuple(bytes, bytes)

  /** Packets that have no order, of the packet alone. */
  private val unplaced: Encoder[PlacedPacket.Type] = {
    val both = encoderFor(placed)
    both.copy(objDeserializer = both.objDeserializer.transform {
      case GetStructField(_: GetColumnByOrdinal, 1, _) => Literal(PlacedPacket.Anywhere)
    })
  }

  def shards(session: SparkSession): Int = {
    val text = session.conf.get(Setting, Default.toString)
    text.toIntOption.filter(n => n >= 1 && n <= 32768).getOrElse(throw SpecError(
      Setting,
      Seq(SpecProblem("SHARDS_NOT_UNDERSTOOD", "value" -> text))))
  }

  /** @param now
    *   processing time of a batch query, in microseconds
    * @param lag
    *   how far the rows that come may lie behind Spark's watermark (SEMANTICS R95)
    */
  def apply(packets: LogicalPlan, program: ShardProgram, now: Long, lag: Distance[Axis.Time]): LogicalPlan =
    if (packets.isStreaming) streamed(packets, program, lag) else atOnce(packets, program, now)

  private def streamed(packets: LogicalPlan, program: ShardProgram, lag: Distance[Axis.Time]): LogicalPlan = {
    val (packet, shard) = (packets.output.head, packets.output(1))
    val called          = CallShards(program.shards, packets)
    def run(values: Seq[Attribute], rows: LogicalPlan)(implicit value: Encoder[PlacedPacket.Type]) =
      TransformWithState[Int, PlacedPacket.Type, Array[Byte]](
        Seq(shard),
        values,
        new WindowProcessor(program, lag),
        timeMode(packets, program),
        OutputMode.Append,
        rows)
    // Spark reads the value of a row by number, so what it is made of must stand first.
    val states = packets.output.lift(2).fold(run(Seq(packet), settled(called, program))(unplaced)) { place =>
      run(Seq(packet, place), Project(Seq(packet, place, shard), SortStep(shard, place, called)))(placed)
    }
    val objects = states.children.head
    Packets(states.output.head, objects.output.head, objects)
  }

  /** The same shards with another program. */
  def running(shards: TransformWithState, program: ShardProgram, lag: Distance[Axis.Time]): TransformWithState =
    shards.copy(
      statefulProcessor = new WindowProcessor(program, lag).asInstanceOf[StatefulProcessor[Any, Any, Any]],
      child = if (isSettled(shards.child)) shards.child else settled(shards.child, program))

  private def isSettled(packets: LogicalPlan) = packets match {
    case Project(_, _: SortStep) => true
    case _                       => false
  }

  /** Packets without an order in one that they alone decide, where it shows. Spark reads them as they arrive; a task that it runs again
    * would give panes with another last digit than those that the next operator has from its first run (SEMANTICS R90).
    */
  private def settled(packets: LogicalPlan, program: ShardProgram): LogicalPlan =
    if (!program.ordersPackets) packets
    else {
      val Seq(packet, shard) = packets.output: @unchecked
      val digest             = Alias(Cast(XxHash64(Seq(packet), 42), BinaryType, None, EvalMode.LEGACY), "digest")()
      Project(
        Seq(packet, digest.toAttribute, shard),
        SortStep(shard, digest.toAttribute, Project(Seq(packet, shard, digest), packets)))
    }

  /** What Spark begins micro-batches without data for. */
  private def timeMode(packets: LogicalPlan, program: ShardProgram): TimeMode =
    if (program.hasPeriods) TimeMode.ProcessingTime
    else if (packets.exists(_.isInstanceOf[EventTimeWatermark])) TimeMode.EventTime
    else TimeMode.None

  private def atOnce(packets: LogicalPlan, program: ShardProgram, now: Long): LogicalPlan = {
    val (packet, shard) = (packets.output.head, packets.output(1))
    def run(values: Seq[Attribute], rows: LogicalPlan)(implicit value: Encoder[PlacedPacket.Type]) =
      MapGroups[Int, PlacedPacket.Type, Array[Byte]](
        new BatchShards(program, now),
        Seq(shard),
        values,
        values.drop(1).map(SortOrder(_, Ascending)),
        rows)
    packets.output.lift(2).fold(run(Seq(packet), packets)(unplaced)) { place =>
      run(Seq(packet, place), Project(Seq(packet, place, shard), packets))(placed)
    }
  }
}
