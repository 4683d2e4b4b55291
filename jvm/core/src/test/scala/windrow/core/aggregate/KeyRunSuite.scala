package windrow.core.aggregate

import org.scalatest.funsuite.AnyFunSuite
import windrow.core.state._

/** A run that is longer than what of it may be in memory (SEMANTICS S11). */
class KeyRunSuite extends AnyFunSuite {
  private object Sum extends Aggregation[Long, Long] {
    def zero: Long                                 = 0
    def combine(left: Long, right: Long): Long     = left + right
    def copy(buffer: Long): Long                   = buffer
    def lower(buffer: Long): Long                  = buffer
    def write(buffer: Long, out: ByteWriter): Unit = out.long(buffer)
    def read(in: ByteReader): Long                 = in.long()
  }

  private val count = if (sys.props.get("windrow.mode").contains("full")) 200000 else 5000

  private val segments = new Segments("runs", new InMemoryShardStore)

  private def empty = new KeyRun(Sum, new CellCodec(Sum), segments, pieceBytes = 256, heldPieces = 8)

  private def reopened(run: KeyRun[Long]): KeyRun[Long] = {
    val (out, again) = (new ByteWriter, empty)
    run.write(out)
    again.read(ByteReader(out.result()))
    again
  }

  private def cell(at: Int): Cell[Long] =
    new Cell(at.toLong, Cell.Nothing, at.toLong, Cell.NotLate, None, 1, at.toLong, Cell.Nothing)

  test("a walk from end to end, with changes on the way, holds a few pieces that have not changed, and loses none") {
    val run = empty
    (0 until count).foreach(n => run.insert(cell(2 * n)))
    val long = reopened(run)
    (0 until count).foreach { n =>
      assert(long(n).position == 2L * n && long.value(n, n + 1) == 2L * n)
      assert(long.held <= 9)
    }
    (0 until count by 500).foreach(n => long.insert(cell(2 * n + 1)))
    assert(long.indexOf(2L * count) == count + (count + 499) / 500)
    (0 until long.size).foreach(n => assert(n == 0 || long(n - 1).position < long(n).position))
    val again = reopened(long)
    assert(again.value(0, again.size) == run.value(0, count) + (0 until count by 500).map(2L * _ + 1).sum)
  }
}
