package windrow.spark.rows

import java.util.Arrays
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.DataType
import org.apache.spark.unsafe.Platform
import windrow.core.state.ByteWriter

/** Builds a row in place from values and other rows, in the order of its columns.
  *
  * The format is that of Spark's unsafe rows: null bits, 8 bytes for each column, then the values of variable width,
  * padded to 8 bytes.
  *
  * @param columns
  *   the number of columns of the row
  */
private[spark] final class RowFrame(columns: Int) {
  private val bits  = UnsafeRow.calculateBitSetWidthInBytes(columns)
  private val fixed = bits + 8 * columns

  private var bytes: Array[Byte] = _
  private var start              = 0

  /** The size in bytes of the part that is already written. */
  private var end = 0

  /** Starts a row, preceded by its size.
    *
    * @param apart
    *   the number of bytes after its fixed part
    */
  def begin(out: ByteWriter, apart: Int): Unit = {
    out.count((fixed + apart).toLong)
    start = out.space(fixed + apart)
    bytes = out.array
    end = fixed
    Arrays.fill(bytes, start, start + bits, 0.toByte)
  }

  /** Returns the number of bytes of a value after the fixed part; 0 for null. */
  def apart(value: Array[Byte]): Int = if (value == null) 0 else (value.length + 7) & ~7

  private def place(column: Int): Long = Platform.BYTE_ARRAY_OFFSET.toLong + start + bits + 8L * column

  def put(column: Int, value: Long): Unit = Platform.putLong(bytes, place(column), value)

  def put(column: Int, value: Boolean): Unit = {
    put(column, 0L)
    Platform.putBoolean(bytes, place(column), value)
  }

  def put(column: Int, value: Array[Byte]): Unit =
    if (value == null) putNull(column)
    else {
      put(column, end.toLong << 32 | value.length)
      System.arraycopy(value, 0, bytes, start + end, value.length)
      Arrays.fill(bytes, start + end + value.length, start + end + apart(value), 0.toByte)
      end += apart(value)
    }

  def putNull(column: Int): Unit = {
    put(column, 0L)
    setBits(1L, column)
  }

  private def setBits(which: Long, column: Int): Unit = {
    val word = Platform.BYTE_ARRAY_OFFSET.toLong + start + 8 * (column >> 6)
    val by   = column & 63
    Platform.putLong(bytes, word, Platform.getLong(bytes, word) | which << by)
    val beyond = if (by == 0) 0L else which >>> (64 - by)
    if (beyond != 0) Platform.putLong(bytes, word + 8, Platform.getLong(bytes, word + 8) | beyond)
  }

  /** The columns of another row, which become the columns from `first` on. */
  final class Part(first: Int, types: Seq[DataType]) {
    private val ownBits  = UnsafeRow.calculateBitSetWidthInBytes(types.size)
    private val ownFixed = ownBits + 8 * types.size
    private val moved    = types.indices.filterNot(i => UnsafeRow.isFixedLength(types(i))).toArray

    def apart(row: UnsafeRow): Int = row.getSizeInBytes - ownFixed

    def put(row: UnsafeRow): Unit = row.getBaseObject match {
      case from: Array[Byte] => put(from, (row.getBaseOffset - Platform.BYTE_ARRAY_OFFSET).toInt, apart(row))
      case _                 => put(row.getBytes, 0, apart(row))
    }

    private def put(from: Array[Byte], at: Int, apart: Int): Unit = {
      var word = 0
      while (8 * word < ownBits) {
        val nulls = Platform.getLong(from, Platform.BYTE_ARRAY_OFFSET.toLong + at + 8 * word)
        if (nulls != 0) setBits(nulls, first + 64 * word)
        word += 1
      }
      System.arraycopy(from, at + ownBits, bytes, start + bits + 8 * first, ownFixed - ownBits)
      System.arraycopy(from, at + ownFixed, bytes, start + end, apart)
      move((end - ownFixed).toLong << 32)
      end += apart
    }

    /** Adjusts the offsets of values of variable width to their new position. */
    private def move(by: Long): Unit = {
      var i = 0
      while (i < moved.length) {
        val at = place(first + moved(i))
        val of = Platform.getLong(bytes, at)
        if (of != 0) Platform.putLong(bytes, at, of + by)
        i += 1
      }
    }
  }
}
