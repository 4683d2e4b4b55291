package windrow.spark.shards

import org.apache.spark.sql.catalyst.analysis.GetColumnByOrdinal
import org.apache.spark.sql.catalyst.encoders.encoderFor
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.streaming.{OutputMode, StatefulProcessor, TimeMode}
import org.apache.spark.sql.types.BinaryType
import org.apache.spark.sql.{Encoder, Encoders, SparkSession}
import windrow._
import windrow.core.time.{Axis, Distance, Watermark}
import windrow.spark.pack.{CallShards, Packets, SortStep}
import windrow.spark.packet.PlacedPacket

/** Plans the shards. Their input is packets, and their output is one binary column.
  *
  * Packets have the columns `packet` binary, `shard` int, and `order` binary if their order matters.
  */
private[windrow] object ShardPlan {

  /** The Spark setting for the number of shards into which keys are hashed. A checkpoint keeps the number with which it
    * was created.
    */
  val Setting = "spark.windrow.shards"
  val Default = 128

  private implicit val int: Encoder[Int]           = Encoders.scalaInt
  private implicit val bytes: Encoder[Array[Byte]] = Encoders.BINARY

  private val placed: Encoder[PlacedPacket.Type] = Encoders.tuple(bytes, bytes)

  /** Encodes packets without an order from the packet column alone. */
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

  /** Plans the shards.
    *
    * @param now
    *   the processing time of a batch query, in microseconds
    * @param lag
    *   how far the input rows may be below Spark's watermark (SEMANTICS R95)
    * @param dropped
    *   the position of the count of rows that count as rows that Spark dropped
    */
  def apply(
      packets: LogicalPlan,
      program: ShardProgram,
      now: Long,
      lag: Distance[Axis.Time],
      dropped: Option[Int] = None): LogicalPlan =
    if (packets.isStreaming) streamed(packets, program, lag, dropped) else atOnce(packets, program, now)

  private def streamed(
      packets: LogicalPlan,
      program: ShardProgram,
      lag: Distance[Axis.Time],
      dropped: Option[Int]): LogicalPlan = {
    val (packet, shard) = (packets.output.head, packets.output(1))
    val called          = CallShards(program.shards, packets)
    // An operator of an unchanged query starts at Spark's first watermark, which is 1970 (SEMANTICS R97).
    val first = if (dropped.isDefined) Watermark(0).behind(lag) else Watermark.None
    def run(values: Seq[Attribute], rows: LogicalPlan)(implicit value: Encoder[PlacedPacket.Type]) =
      TransformWithState[Int, PlacedPacket.Type, Array[Byte]](
        Seq(shard),
        values,
        new WindowProcessor(program, lag, first),
        timeMode(packets, program),
        OutputMode.Append,
        rows)
    // Spark reads the value of a row by position, so its columns must be the first ones.
    val states = packets.output.lift(2).fold(run(Seq(packet), settled(called, program))(unplaced)) { place =>
      run(Seq(packet, place), Project(Seq(packet, place, shard), SortStep(shard, place, called)))(placed)
    }
    val objects = states.children.head
    Packets(states.output.head, objects.output.head, dropped, objects)
  }

  /** Returns the same shards with another program. */
  def running(shards: TransformWithState, program: ShardProgram, lag: Distance[Axis.Time]): TransformWithState =
    shards.copy(
      statefulProcessor = new WindowProcessor(program, lag).asInstanceOf[StatefulProcessor[Any, Any, Any]],
      child = if (isSettled(shards.child)) shards.child else settled(shards.child, program))

  private def isSettled(packets: LogicalPlan) = packets match {
    case Project(_, _: SortStep) => true
    case _                       => false
  }

  /** Sorts packets without an order by their digest, if their order affects the output. Spark reads them as they
    * arrive, so a repeated task could emit panes whose last digit differs from the panes that the next operator
    * received from the first attempt (SEMANTICS R90).
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

  /** Returns the time mode, which determines when Spark runs micro-batches without data. */
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
