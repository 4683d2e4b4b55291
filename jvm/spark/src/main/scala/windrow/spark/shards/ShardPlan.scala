package windrow.spark.shards

import org.apache.spark.sql.Encoder
import org.apache.spark.sql.Encoders
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.streaming.TimeMode
import windrow._
import windrow.spark.pack.CallShards
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

  private implicit val placed: Encoder[PlacedPacket.Type] = Encoders.tuple(bytes, bytes)

  def shards(session: SparkSession): Int = {
    val text = session.conf.get(Setting, Default.toString)
    text.toIntOption.filter(n => n >= 1 && n <= 32768).getOrElse(throw SpecError(
      Setting,
      Seq(SpecProblem("SHARDS_NOT_UNDERSTOOD", "value" -> text))))
  }

  /** @param now
    *   processing time of a batch query, in microseconds
    */
  def apply(packets: LogicalPlan, program: ShardProgram, now: Long): LogicalPlan =
    if (packets.isStreaming) streamed(packets, program) else atOnce(packets, program, now)

  private def streamed(packets: LogicalPlan, program: ShardProgram): LogicalPlan = {
    val (packet, shard) = (packets.output.head, packets.output(1))
    val called          = CallShards(program.shards, packets)
    val inPlace         = packets.output.lift(2).fold(unplaced(called))(SortStep(shard, _, called))
    val place           = inPlace.output(2)
    // Spark reads the value of a row by number, so what it is made of must stand first.
    TransformWithState[Int, PlacedPacket.Type, Array[Byte]](
      Seq(shard),
      Seq(packet, place),
      new WindowProcessor(program),
      timeMode(packets, program),
      OutputMode.Append,
      Project(Seq(packet, place, shard), inPlace))
  }

  private def unplaced(packets: LogicalPlan): LogicalPlan =
    Project(packets.output :+ Alias(Literal(PlacedPacket.Anywhere), "order")(), packets)

  /** What Spark begins micro-batches without data for. */
  private def timeMode(packets: LogicalPlan, program: ShardProgram): TimeMode =
    if (program.hasPeriods) TimeMode.ProcessingTime
    else if (packets.exists(_.isInstanceOf[EventTimeWatermark])) TimeMode.EventTime
    else TimeMode.None

  private def atOnce(packets: LogicalPlan, program: ShardProgram, now: Long): LogicalPlan = {
    val all                    = if (packets.output.sizeIs > 2) packets else unplaced(packets)
    val (packet, shard, place) = (all.output.head, all.output(1), all.output(2))
    MapGroups[Int, PlacedPacket.Type, Array[Byte]](
      new BatchShards(program, now),
      Seq(shard),
      Seq(packet, place),
      packets.output.drop(2).map(SortOrder(_, Ascending)),
      Project(Seq(packet, place, shard), all))
  }
}
