package windrow.core.aggregate

import scala.collection.mutable.ArrayBuffer
import windrow.core.state.{ByteReader, ByteWriter, Codec}

/** Neighboring cells of a run that are stored as one value, with the summary of them in the run's root.
  *
  * @param id
  *   id of its segment; [[RunPiece.Inside]] if the cells are in the root
  */
private[core] final class RunPiece[B](val id: Long, aggregation: Aggregation[B, _]) {
  var cells: ArrayBuffer[Cell[B]] = _
  var changed                     = false
  var size                        = 0
  var first, last                 = 0L // positions
  var messages                    = 0L
  var minStamp                    = Long.MaxValue
  var maxStamp                    = Long.MinValue
  var maxJudged                   = Cell.NotLate

  private var sum = Option.empty[B]

  /** The total to write. If buffers contain their messages, the total is not written, because it would repeat the
    * piece.
    */
  private def written: Option[B] = sum.filter(_ => aggregation.keeping.isEmpty)

  def knowsTotal: Boolean = sum.isDefined

  /** The combination of all cells, which must not be changed. */
  def total: B = sum.getOrElse {
    val made = RunPiece.combined(cells.iterator, aggregation)
    sum = Some(made)
    made
  }

  def insert(at: Int, cell: Cell[B]): Unit = {
    cells.insert(at, cell)
    // A buffer that depends on order sorts its messages itself, so the sum can be extended.
    sum = sum.map(aggregation.combine(_, cell.buffer)).orElse(Option.when(size == 0)(aggregation.copy(cell.buffer)))
    include(cell)
  }

  /** Replaces a cell by one at the same position that also contains `added`. */
  def replace(at: Int, cell: Cell[B], added: B): Unit = {
    val before = cells(at)
    cells(at) = cell
    messages += cell.count - before.count
    sum = sum.map(aggregation.combine(_, added))
    changed = true
  }

  def dropFirst(count: Int): Unit = {
    cells.remove(0, count)
    sum = None
    describe()
    changed = true
  }

  private def include(cell: Cell[B]): Unit = {
    count(cell)
    first = cells(0).position
    last = cells(size - 1).position
    changed = true
  }

  private def count(cell: Cell[B]): Unit = {
    size += 1
    messages += cell.count
    minStamp = math.min(minStamp, cell.stamp)
    maxStamp = math.max(maxStamp, cell.stamp)
    maxJudged = math.max(maxJudged, cell.judged)
  }

  /** Recomputes the summary of its cells. */
  private def describe(): Unit = {
    size = 0
    messages = 0
    minStamp = Long.MaxValue
    maxStamp = Long.MinValue
    maxJudged = Cell.NotLate
    cells.foreach(count)
    if (size > 0) {
      first = cells(0).position
      last = cells(size - 1).position
    }
  }

  /** A piece with some of its cells, which replaces this one. */
  def part(id: Long, from: Int, until: Int): RunPiece[B] = {
    val isAll = from == 0 && until == size
    val piece = new RunPiece(id, aggregation)
    piece.cells = if (isAll) cells else cells.slice(from, until)
    piece.describe()
    if (isAll) piece.sum = sum
    piece.changed = false
    piece
  }

  def writeRoot(out: ByteWriter, codec: Codec[Cell[B]]): Unit = {
    out.count(id)
    out.count(size.toLong)
    if (id == RunPiece.Inside) cells.foreach(codec.write(_, out))
    else {
      Seq(first, last, minStamp, maxStamp, maxJudged, messages).foreach(out.long)
      out.byte(if (written.isDefined) 1 else 0)
      written.foreach(aggregation.write(_, out))
    }
  }
}

private[core] object RunPiece {
  val Inside = 0L

  def combined[B](cells: Iterator[Cell[B]], aggregation: Aggregation[B, _]): B =
    if (!cells.hasNext) aggregation.zero
    else {
      var sum = aggregation.copy(cells.next().buffer)
      cells.foreach(cell => sum = aggregation.combine(sum, cell.buffer))
      sum
    }

  def readRoot[B](in: ByteReader, codec: Codec[Cell[B]], aggregation: Aggregation[B, _]): RunPiece[B] = {
    val piece = new RunPiece[B](in.count(), aggregation)
    val size  = in.count().toInt
    if (piece.id == Inside) {
      piece.cells = ArrayBuffer.fill(in.fitting(size.toLong))(codec.read(in))
      piece.describe()
      piece.changed = false
    } else {
      piece.size = size
      piece.first = in.long()
      piece.last = in.long()
      piece.minStamp = in.long()
      piece.maxStamp = in.long()
      piece.maxJudged = in.long()
      piece.messages = in.long()
      piece.sum = Option.when(in.byte() == 1)(aggregation.read(in))
    }
    piece
  }
}
