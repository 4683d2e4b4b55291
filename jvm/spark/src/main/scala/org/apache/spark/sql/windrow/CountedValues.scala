package org.apache.spark.sql.windrow

import java.nio.ByteBuffer
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, PercentileBase}
import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.{DataType, LongType}
import org.apache.spark.unsafe.Platform
import org.apache.spark.util.collection.OpenHashMap

/** Merges the buffers of exact percentiles, which count how often each value occurred. The bytes of a buffer are rows
  * of a value and its count, each preceded by its size; a negative size ends them (`serialize` of [[PercentileBase]]).
  * Spark builds a map from the bytes of each row before it merges the maps. This class adds the bytes directly to the
  * merged map.
  *
  * @param damaged
  *   creates the exception for bytes of this length that are not valid counts
  */
final class CountedValues private (value: DataType, damaged: Int => Throwable) {
  import CountedValues._

  private val entry   = new UnsafeRow(2)
  private val pair    = new GenericInternalRow(2)
  private val project = UnsafeProjection.create(Array[DataType](value, LongType))

  /** Adds the counts in a binary field of a row to a map. */
  def merge(counts: Any, row: UnsafeRow, field: Int): Unit = {
    val all   = counts.asInstanceOf[Counts]
    val place = row.getLong(field)
    val base  = row.getBaseObject
    val end   = row.getBaseOffset + (place >>> 32) + place.toInt
    var at    = row.getBaseOffset + (place >>> 32)
    var size  = sizeAt(base, at, end)
    while (size >= 0) {
      if (size < LeastEntry || (size & 7) != 0 || size > end - at - SizeBytes) throw damaged(place.toInt)
      entry.pointTo(base, at + SizeBytes, size)
      val count = entry.getLong(1)
      all.changeValue(entry.get(0, value), count, _ + count)
      at += SizeBytes + size
      size = sizeAt(base, at, end)
    }
  }

  private def sizeAt(base: AnyRef, at: Long, end: Long): Int = {
    if (end - at < SizeBytes) throw damaged((end - at).toInt)
    Integer.reverseBytes(Platform.getInt(base, at))
  }

  /** Serializes a map. */
  def bytes(counts: Any): Array[Byte] = {
    val all = counts.asInstanceOf[Counts]
    val out = ByteBuffer.allocate(all.size * (SizeBytes + LeastEntry) + SizeBytes)
    all.iterator.foreach { case (value, count) =>
      pair.update(0, value)
      pair.setLong(1, count)
      val row = project(pair)
      out.putInt(row.getSizeInBytes)
      row.writeTo(out)
    }
    out.putInt(-1).array
  }
}

object CountedValues {
  private type Counts = OpenHashMap[AnyRef, Long]

  private val SizeBytes = 4

  /** The size in bytes of a row with two columns of fixed width. */
  private val LeastEntry = 24

  /** Returns the reader of a function's buffers, or None if the function has other buffers or values of variable width.
    */
  def of(function: AggregateFunction, damaged: Int => Throwable): Option[CountedValues] = function match {
    case percentile: PercentileBase if UnsafeRow.isFixedLength(percentile.child.dataType) =>
      Some(new CountedValues(percentile.child.dataType, damaged))
    case _ => None
  }

  /** Whether two functions count the same values. */
  def areSame(a: AggregateFunction, b: AggregateFunction): Boolean = (a, b) match {
    case (a: PercentileBase, b: PercentileBase) =>
      a.child.semanticEquals(b.child) && a.frequencyExpression.semanticEquals(b.frequencyExpression)
    case _ => false
  }
}
