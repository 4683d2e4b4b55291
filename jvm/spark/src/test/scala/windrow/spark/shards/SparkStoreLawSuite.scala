package windrow.spark.shards

import org.apache.spark.sql.windrow.SparkInside
import org.apache.spark.sql.{Encoder, Encoders, SparkSession}
import org.scalatest.tags.Slow
import windrow.core.state.{ShardStore, StoreLaw}
import windrow.core.time.Distance
import windrow.spark.{MemoryStream, SparkSuite}

/** Tests the law of all stores with Spark's state, over two micro-batches. */
@Slow
final class SparkStoreLawSuite extends SparkSuite {
  test("values that a store returned belong to the caller: Spark's state") {
    implicit val session: SparkSession             = spark
    implicit val rows: Encoder[(Array[Byte], Int)] = Encoders.tuple(Encoders.BINARY, Encoders.scalaInt)
    val input                                      = MemoryStream[(Array[Byte], Int)]
    val packets                                    = input.toDF().toDF("packet", "shard")
    val output =
      SparkInside.frame(spark, ShardPlan(SparkInside.plan(packets), new SparkStoreLawSuite.Checking, 0, Distance.none))
    val rowsOfAll = rowsOf(output) {
      val one = () => { input.addData((Array[Byte](1), 0)); () }
      Seq(one, one)
    }
    assert(rowsOfAll.isEmpty)
    assert(SparkStoreLawSuite.checked.get > 1)
  }
}

private object SparkStoreLawSuite {
  val checked = new java.util.concurrent.atomic.AtomicInteger

  final class Checking extends ProgramOfTest {
    override def spaces: Seq[String] = Seq("windows")

    protected def run(store: ShardStore, packets: Int, processingTime: Long): Unit = {
      StoreLaw.check(store)
      checked.incrementAndGet(): Unit
    }
  }
}
