package windrow.spark.verify

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataOutputStream}
import org.apache.spark.SparkConf
import org.apache.spark.io.LZ4CompressionCodec
import windrow.spark.SparkSuite

/** Tests change files as Spark writes them, and invalid ones (SEMANTICS S13). */
final class ChangelogFileSpec extends SparkSuite {

  private def wrong(write: DataOutputStream => Unit): Option[String] = {
    spark: Unit // needed for decompression
    val bytes = new ByteArrayOutputStream
    val out   = new DataOutputStream(new LZ4CompressionCodec(new SparkConf).compressedOutputStream(bytes))
    write(out)
    out.close()
    ChangelogFile.wrong(() => new ByteArrayInputStream(bytes.toByteArray), "lz4")
  }

  private def put(out: DataOutputStream): Unit = {
    out.writeUTF("v2")
    out.writeByte(1)
    Seq("key", "value").foreach { text => out.writeInt(text.length); out.writeBytes(text) }
  }

  test("a changelog that ends at its marker is complete") {
    assert(wrong { out => put(out); out.writeByte(0) }.isEmpty)
  }

  test("without the marker it is truncated, and no data follows the marker") {
    assert(wrong(put) == Some("it is truncated"))
    assert(wrong { out => put(out); out.writeShort(0) } == Some("it contains data after its end"))
  }
}
