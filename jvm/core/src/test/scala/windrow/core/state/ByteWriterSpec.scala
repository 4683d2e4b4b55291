package windrow.core.state

import org.scalatest.funsuite.AnyFunSuite

final class ByteWriterSpec extends AnyFunSuite {

  test("a reader gives back what a writer was given, however the buffer grew") {
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

  test("a stored value that was damaged or is of another format is refused") {
    val out = new ByteWriter()
    out.long(17)
    val stored = out.sealedResult()
    assert(ByteReader.unsealed(stored, "it").long() == 17)
    stored.indices.foreach { i =>
      val damaged = stored.clone()
      damaged(i) = (damaged(i) ^ 1).toByte
      assert(intercept[DamagedStateError](ByteReader.unsealed(
        damaged,
        "it")).getMessage.startsWith("[STATE_DAMAGED] it"))
    }
  }
}
