package windrow.core.offsets

import java.nio.ByteBuffer
import java.util.{TreeMap => JTreeMap}
import org.roaringbitmap.RoaringBitmap
import scala.jdk.CollectionConverters._
import windrow.ErrorConditions
import windrow.core.state.{ByteReader, ByteWriter, DamagedStateError}

/** A set of offsets in compressed bitmaps of 2^31 offsets each. */
private[windrow] final class OffsetSet {
  import OffsetSet._

  private val bitmaps = new JTreeMap[Long, RoaringBitmap]

  def isEmpty: Boolean = bitmaps.isEmpty
  def clear(): Unit    = bitmaps.clear()

  def contains(offset: Long): Boolean = {
    val bitmap = bitmaps.get(high(offset))
    bitmap != null && bitmap.contains(low(offset))
  }

  /** Adds an offset; returns false if it was present. */
  def add(offset: Long): Boolean = bitmap(high(offset)).checkedAdd(low(offset))

  /** Adds a range with inclusive ends. */
  def add(first: Long, last: Long): Unit = (high(first) to high(last)).foreach { at =>
    bitmap(at).add(from(at, first), until(at, last))
  }

  /** Removes a range with inclusive ends; returns false if it contained none of the offsets. */
  def remove(first: Long, last: Long): Boolean = {
    val touched = bitmaps.subMap(high(first), true, high(last), true).entrySet.asScala
      .filter(one => one.getValue.intersects(from(one.getKey, first), until(one.getKey, last))).toVector
    touched.foreach { one =>
      one.getValue.remove(from(one.getKey, first), until(one.getKey, last))
      if (one.getValue.isEmpty) bitmaps.remove(one.getKey)
    }
    touched.nonEmpty
  }

  /** The maximal runs of each bitmap, ascending, as first and last offset. A run may end where the next one starts. */
  def runs: Iterator[(Long, Long)] = bitmaps.asScala.iterator.flatMap { case (at, bitmap) =>
    within(bitmap).map { case (first, after) => (at * Width + first, at * Width + after - 1) }
  }

  def write(out: ByteWriter): Unit = {
    out.count(bitmaps.size.toLong)
    bitmaps.forEach { (at, bitmap) =>
      bitmap.runOptimize()
      val bytes = new Array[Byte](bitmap.serializedSizeInBytes)
      bitmap.serialize(ByteBuffer.wrap(bytes))
      out.long(at)
      out.bytes(bytes)
    }
  }

  private def bitmap(at: Long): RoaringBitmap = {
    val known = bitmaps.get(at)
    if (known != null) known
    else {
      val made = new RoaringBitmap
      bitmaps.put(at, made)
      made
    }
  }
}

private[windrow] object OffsetSet {
  private val Width = 1L << 31

  private def high(offset: Long): Long = Math.floorDiv(offset, Width)
  private def low(offset: Long): Int   = Math.floorMod(offset, Width).toInt

  /** The part of a range that is in bitmap `at`, from this index up to `until`, exclusive. */
  private def from(at: Long, first: Long): Long = if (high(first) == at) low(first).toLong else 0L
  private def until(at: Long, last: Long): Long = if (high(last) == at) low(last) + 1L else Width

  /** The runs of a bitmap as first index and the index after the last one. In a damaged bitmap they may not ascend,
    * which would loop forever, so that is an error.
    */
  private def within(bitmap: RoaringBitmap): Iterator[(Long, Long)] = Iterator.unfold(0L) { from =>
    val first = if (from < Width) bitmap.nextValue(from.toInt) else -1L
    Option.when(first >= 0) {
      val after = bitmap.nextAbsentValue(first.toInt) & 0xffffffffL
      if (first < from || after <= first)
        throw new DamagedStateError(ErrorConditions.message("STATE_DAMAGED.OFFSETS"))
      ((first, after), after)
    }
  }

  private def isSound(bitmap: RoaringBitmap): Boolean =
    within(bitmap).map { case (first, after) => after - first }.sum == bitmap.getLongCardinality

  def read(in: ByteReader): OffsetSet = {
    val set = new OffsetSet
    (0L until in.count()).foreach { _ =>
      val (at, bitmap) = (in.long(), new RoaringBitmap)
      bitmap.deserialize(ByteBuffer.wrap(in.bytes()))
      if (!isSound(bitmap)) throw in.damaged(s"the offsets before byte ${in.position} are not a valid set")
      set.bitmaps.put(at, bitmap)
    }
    set
  }
}
