package windrow.spark.rows

import org.apache.spark.sql.catalyst.expressions.{BoundReference, GenericInternalRow, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite
import scala.util.Random
import windrow.core.state.{ByteReader, Damage, DamagedStateError}

/** Tests that rows of all kinds are read from packets as they were written (SEMANTICS R74 for their counts). */
class RowPacketSuite extends AnyFunSuite {
  private val shapes: Seq[Seq[DataType]] = Seq(
    Seq(LongType, StringType),
    Seq(StringType),
    Seq(DoubleType, BooleanType, StringType, LongType),
    Nil)
  private val projections = shapes.map(types => UnsafeProjection.create(types.toArray))

  private def drawn(random: Random, kind: Int): UnsafeRow = {
    val values = shapes(kind).map {
      case _ if random.nextInt(5) == 0 => null
      case LongType                    => random.nextLong()
      case DoubleType                  => random.nextDouble()
      case BooleanType                 => random.nextBoolean()
      case _                           => UTF8String.fromString("é" * random.nextInt(40))
    }
    projections(kind)(new GenericInternalRow(values.toArray[Any])).copy()
  }

  private def read(packets: Seq[Array[Byte]], kinds: Set[Int]): Seq[(Int, UnsafeRow)] = packets.flatMap { packet =>
    val reader = new RowPacket.Reader(ByteReader(packet), kinds.map(kind => kind -> shapes(kind).size).toMap)
    Iterator.continually(reader).takeWhile(_.next()).map(one => one.kind -> one.row.copy()).toVector
  }

  test("rows of any kinds, in packets of any size, are read as they were written, each kind alone or with others") {
    for (seed <- 1 to 50) {
      val random = new Random(seed)
      val rows = Seq.fill(random.nextInt(3000)) {
        val kind = random.nextInt(shapes.size)
        kind -> drawn(random, kind)
      }
      val out     = new RowPacket.Writer(3)
      val packets = Seq.newBuilder[Array[Byte]]
      rows.foreach { case (kind, row) =>
        out.put(kind, row)
        out.add(kind % 3, 1)
        if (out.isFull) packets += out.result()
      }
      packets += out.result()
      val all = packets.result()
      assert(all.forall(_.length < 2 * RowPacket.Bytes) && all.init.forall(_.length >= RowPacket.Bytes))
      for (kinds <- Seq(Set(0), Set(2), Set(1, 3), shapes.indices.toSet))
        assert(read(all, kinds) == rows.filter(row => kinds(row._1)), s"seed $seed, kinds $kinds")
      val counts = all.map(packet => RowPacket.counts(ByteReader(packet)).toSeq).transpose.map(_.sum)
      assert(counts == (0 until 3).map(count => rows.count(_._1 % 3 == count)))
    }
  }

  test("a packet is read at its position in a row, at any position of the row, and from rows without bytes") {
    val random  = new Random(4)
    val project = UnsafeProjection.create(Array[DataType](StringType, BinaryType, BinaryType))
    for (_ <- 1 to 200) {
      val packets = Seq.fill(2)(Array.fill[Byte](random.nextInt(70000))(random.nextInt().toByte))
      val values  = new GenericInternalRow(Array[Any](UTF8String.fromString("é" * random.nextInt(9))) ++ packets)
      val row     = project(values)
      val apart   = random.nextInt(100)
      val moved   = new UnsafeRow(3)
      moved.pointTo(
        Array.fill[Byte](apart)(1) ++ row.getBytes,
        (Platform.BYTE_ARRAY_OFFSET + apart).toLong,
        row.getSizeInBytes)
      for (one <- Seq(values, row, moved); (packet, i) <- packets.zipWithIndex) {
        val in = Rows.binary(one, BoundReference(i + 1, BinaryType, nullable = false))
        assert(in.left == packet.length && packet.forall(_ == in.byte()) && !in.hasNext)
      }
    }
  }

  test("a packet that ends too early is refused by name") {
    val out = new RowPacket.Writer(1)
    out.put(0, drawn(new Random(1), 0))
    val packet = out.result()
    for (length <- 1 until packet.length if length != 9) // nine bytes are a packet without rows
      assertThrows[DamagedStateError](read(Seq(packet.take(length)), Set(0)))
  }

  test(s"S1: ${Damage.Count} packets with other bytes are read, or refused by name") {
    val out    = new RowPacket.Writer(3)
    val random = new Random(3)
    (0 until 8).foreach(i => out.put(i % shapes.size, drawn(random, i % shapes.size)))
    val refused = Damage.refusedBytes("rows in packets", out.result()) { packet =>
      val reader = new RowPacket.Reader(ByteReader(packet), Map(0 -> 2, 2 -> 4))
      while (reader.next()) (0 until reader.row.numFields).foreach(reader.row.isNullAt)
    }
    assert(refused > Damage.Count / 10)
  }
}
