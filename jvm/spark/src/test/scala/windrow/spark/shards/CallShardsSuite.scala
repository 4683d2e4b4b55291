package windrow.spark.shards

import java.sql.Timestamp
import java.util.concurrent.ConcurrentLinkedQueue
import org.apache.spark.sql.windrow.SparkInside
import org.apache.spark.sql.{DataFrame, Encoder, Encoders, SparkSession}
import org.scalatest.tags.Slow
import scala.jdk.CollectionConverters._
import windrow.core.state.ShardStore
import windrow.core.time.Distance
import windrow.spark.{MemoryStream, SparkSuite}

@Slow
final class CallShardsSuite extends SparkSuite {
  import CallShardsSuite._

  test("SEMANTICS R75: every shard is called once in each micro-batch, without data too, and after a restart") {
    implicit val session: SparkSession = spark
    implicit val rows: Encoder[(Array[Byte], Int, Timestamp)] =
      Encoders.tuple(Encoders.BINARY, Encoders.scalaInt, Encoders.TIMESTAMP)
    val input = MemoryStream[(Array[Byte], Int, Timestamp)]
    val packets =
      input.toDF().toDF("packet", "shard", "time").withWatermark("time", "0 seconds").select("packet", "shard")
    val output     = SparkInside.frame(spark, ShardPlan(SparkInside.plan(packets), new Counting, 0, Distance.none))
    val checkpoint = SparkSuite.folder()
    Calls.clear()
    Seq(10L, 20L).foreach { second =>
      val query = output.writeStream.option("checkpointLocation", checkpoint)
        .foreachBatch { (batch: DataFrame, _: Long) => batch.collect(); () }.start()
      try {
        input.addData(
          (Array[Byte](1), 3, new Timestamp(1000 * second)),
          (Array[Byte](1), 3, new Timestamp(1000 * second)))
        query.processAllAvailable()
      } finally query.stop()
    }
    val batches = Calls.asScala.toSeq.groupBy(_.processingTime).toSeq.sortBy(_._1).map(_._2)
    assert(batches.size === 4) // each one with data is followed by one that only advances the watermark
    batches.zipWithIndex.foreach { case (calls, before) =>
      assert(calls.map(_.before) === Seq.fill(Shards)(before))
    }
    assert(batches.map(_.map(_.packets).sorted) === Seq.fill(2)(Seq(Seq(0, 0, 0, 0, 2), Seq(0, 0, 0, 0, 0))).flatten)
  }
}

private object CallShardsSuite {
  val Shards = 5

  /** A call of a shard.
    *
    * @param before
    *   how often the shard had been called before
    */
  final case class Call(processingTime: Long, before: Int, packets: Int)

  val Calls = new ConcurrentLinkedQueue[Call]

  /** A program whose shards store as many bytes as they have been called. */
  final class Counting extends ProgramOfTest {
    override def shards: Int = Shards

    protected def run(store: ShardStore, packets: Int, processingTime: Long): Unit = {
      val before = Option(store.header).fold(0)(_.length)
      Calls.add(Call(processingTime, before, packets))
      store.putHeader(new Array[Byte](before + 1))
    }
  }
}
