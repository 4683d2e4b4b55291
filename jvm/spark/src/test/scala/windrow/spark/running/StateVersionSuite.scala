package windrow.spark.running

import java.nio.ByteBuffer
import java.util.zip.CRC32C
import org.apache.spark.sql.windrow.SparkInside
import org.apache.spark.sql.{DataFrame, Encoder, Encoders, SparkSession}
import org.scalatest.tags.Slow
import windrow.CheckpointError
import windrow.core.state.{ByteWriter, ShardStore, SpecFingerprint}
import windrow.core.time.Distance
import windrow.spark.shards.{ProgramOfTest, ShardPlan}
import windrow.spark.{MemoryStream, SparkSuite}

/** Tests that a query that cannot continue from a checkpoint fails before it starts. */
@Slow
final class StateVersionSuite extends SparkSuite {
  private val fingerprint = SpecFingerprint("windows" -> "of any version")

  private def header(version: Int): Array[Byte] = {
    val out = new ByteWriter
    fingerprint.write(out)
    val bytes = out.sealedResult()
    bytes(0) = version.toByte
    val sum = new CRC32C
    sum.update(bytes, 0, bytes.length - 4)
    ByteBuffer.wrap(bytes).putInt(bytes.length - 4, sum.getValue.toInt)
    bytes
  }

  /** Runs a query whose shards store a header, and checks whether it may continue. */
  private def goOn(kept: Array[Byte]): Unit = {
    implicit val session: SparkSession             = spark
    implicit val rows: Encoder[(Array[Byte], Int)] = Encoders.tuple(Encoders.BINARY, Encoders.scalaInt)
    val packets                                    = MemoryStream[(Array[Byte], Int)]
    val plan       = ShardPlan(SparkInside.plan(packets.toDF()), new Keeping(fingerprint, kept), 0, Distance.none)
    val output     = SparkInside.frame(spark, plan)
    val checkpoint = SparkSuite.folder()
    packets.addData((Array[Byte](0), 0))
    val query = output.writeStream.option("checkpointLocation", checkpoint)
      .foreachBatch { (batch: DataFrame, _: Long) => batch.collect(); () }.start()
    try query.processAllAvailable()
    finally query.stop()
    assert(ResumeCheck.check(spark, SparkInside.plan(output), checkpoint).isEmpty)
  }

  test("SEMANTICS S14: a checkpoint in a format that is not known is refused before its query begins") {
    goOn(header(ByteWriter.Version.toInt))
    Seq(0, ByteWriter.Version + 1).foreach { version =>
      val refused = intercept[CheckpointError](goOn(header(version)))
      assert(refused.getMessage.startsWith(s"[STATE_VERSION] The state format of the header of a shard is $version"))
      assert(refused.getMessage.contains("Continue with the version of Windrow that wrote it"))
    }
  }

  test("SEMANTICS S1: a checkpoint whose header is damaged is refused before its query begins") {
    val refused = intercept[CheckpointError](goOn(Array[Byte](1, 2, 3, 4, 5, 6, 7)))
    assert(refused.getMessage.startsWith("[STATE_DAMAGED] The checksum of the header of a shard"))
  }
}

private final class Keeping(override val fingerprint: SpecFingerprint, header: Array[Byte]) extends ProgramOfTest {
  protected def run(store: ShardStore, packets: Int, processingTime: Long): Unit = store.putHeader(header)
}
