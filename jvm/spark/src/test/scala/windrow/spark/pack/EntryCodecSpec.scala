package windrow.spark.pack

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite
import windrow.Timing
import windrow.core.operator.{IncomingPane, Origin, SessionMark}
import windrow.core.state.{ByteReader, ByteWriter, Damage, Key}
import windrow.spark.packet.EntryCodec
import windrow.spark.rows.Rows

final class EntryCodecSpec extends AnyFunSuite {
  private val row = UnsafeProjection.create(Array[DataType](StringType, LongType))

  private def of(text: String, number: Long): UnsafeRow = row(InternalRow(UTF8String.fromString(text), number)).copy()

  private val mark = SessionMark(ends = true, new Key(Array[Byte](3, 4)))

  test("entries come out of a packet as they went in") {
    val out  = new ByteWriter()
    val pane = IncomingPane(-3, 4, Timing.Late, isRetraction = true, new Key(Array[Byte](1, 2)))
    EntryCodec.write(out, of("a", 1), Some(-5L), 0, 1, of("x", 2), null, None, None, None, null)
    EntryCodec.write(
      out,
      of(null, 3),
      None,
      7,
      300,
      of("y", 4),
      of("raw", 5),
      Some(Origin("s", 1, 2)),
      Some(pane),
      Some(mark),
      Array[Byte](9))
    val entries = EntryCodec.read[UnsafeRow, (Seq[Byte], UnsafeRow)](
      out.result(),
      (in: ByteReader) => Rows.read(in, 2).copy(),
      (o, b) => (Option(o).toSeq.flatMap(_.toSeq), b)).toSeq
    assert(entries.size == 2)
    assert(entries.map(_.time) == Seq(Some(-5L), None))
    assert(entries.map(_.value) == Seq(0L, 7L))
    assert(entries.map(_.count) == Seq(1L, 300L))
    assert(entries.map(e => Rows.of(e.key.bytes, 2)) == Seq(of("a", 1), of(null, 3)))
    assert(entries.map(_.buffer) == Seq((Nil, of("x", 2)), (Seq[Byte](9), of("y", 4))))
    assert(entries.map(e => Option(e.raw).map(Rows.of(_, 2))) == Seq(None, Some(of("raw", 5))))
    assert(entries.map(_.pane) == Seq(None, Some(pane)))
    assert(entries.map(_.mark) == Seq(None, Some(mark)))
    assert(entries.map(_.origin) == Seq(None, Some(Origin("s", 1, 2))))
  }

  test(s"S1: ${Damage.Count} packets with other bytes are read, or refused by name") {
    val out  = new ByteWriter()
    val pane = IncomingPane(-3, 4, Timing.Late, isRetraction = true, new Key(Array[Byte](1, 2)))
    (1L to 5L).foreach(i =>
      EntryCodec.write(
        out,
        of("a", i),
        Some(i),
        7,
        3,
        of("y", 4),
        of("raw", 5),
        Some(Origin("s", 1, i)),
        Some(pane),
        Some(mark),
        Array(9)))
    val refused =
      Damage.refusedBytes("entries", out.result())(EntryCodec.read[UnsafeRow, UnsafeRow](
        _,
        Rows.read(_, 2),
        (_, row) => row).foreach(_ => ()))
    assert(refused > Damage.Count / 10)
  }
}
