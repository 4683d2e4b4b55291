package windrow.core.state

import java.nio.ByteBuffer
import org.scalatest.funsuite.AnyFunSuite
import windrow.CheckpointError

final class ByteWriterSpec extends AnyFunSuite {

  test("a reader returns the written values, however the buffer grew") {
    val random = new scala.util.Random(4711)
    val parts =
      Seq.fill(500)((random.nextLong() >>> random.nextInt(64), Array.fill(random.nextInt(40))(random.nextInt().toByte)))
    val out = new ByteWriter(8)
    parts.foreach { case (number, bytes) =>
      out.byte(number.toInt)
      out.long(number)
      out.count(number & Long.MaxValue)
      out.bytes(bytes)
    }
    val in = ByteReader(out.result())
    parts.foreach { case (number, bytes) =>
      assert(in.byte() == number.toByte)
      assert(in.long() == number)
      assert(in.count() == (number & Long.MaxValue))
      assert(in.bytes().toSeq == bytes.toSeq)
    }
    assert(!in.hasNext)
  }

  test("a writer that is lent inside another's use is another one, and each begins empty") {
    val outer = ByteWriter.lent { out =>
      out.count(1)
      val inner = ByteWriter.lent { other =>
        other.count(2)
        other.result().toSeq
      }
      assert(inner == Seq[Byte](2))
      out.count(3)
      out.result().toSeq
    }
    assert(outer == Seq[Byte](1, 3))
    assert(ByteWriter.lent(_.size) == 0)
  }

  test("SEMANTICS S14: a complete value of another format is rejected with a remedy") {
    val out = new ByteWriter()
    out.long(17)
    val stored = out.sealedResult()
    Seq(0, ByteWriter.Version + 1, 127).foreach { version =>
      val other = stored.clone()
      other(0) = version.toByte
      ByteBuffer.wrap(other).putInt(other.length - 4, ByteWriter.checksum(other, other.length - 4))
      val refused = intercept[CheckpointError](ByteReader.unsealed(other, "it"))
      assert(refused.getMessage.startsWith(s"[STATE_VERSION] The state format of it is $version, but this version"))
      assert(refused.getMessage.contains("Continue with the version of Windrow that wrote it"))
    }
  }

  test("a stored value that was damaged is refused") {
    val out = new ByteWriter()
    out.long(17)
    val stored = out.sealedResult()
    assert(ByteReader.unsealed(stored, "it").long() == 17)
    stored.indices.foreach { i =>
      val damaged = stored.clone()
      damaged(i) = (damaged(i) ^ 1).toByte
      assert(intercept[DamagedStateError](ByteReader.unsealed(
        damaged,
        "it")).getMessage.startsWith("[STATE_DAMAGED] The checksum of it "))
    }
  }

  test("a value that no array can hold is refused before it takes memory") {
    val out = new ByteWriter
    out.long(1)
    val refused = intercept[IllegalStateException](out.space(Int.MaxValue - 8))
    assert(refused.getMessage.startsWith("[STATE_TOO_LARGE]") && refused.getMessage.contains("2147483647 bytes"))
    assert(out.size == 8)
  }
}
