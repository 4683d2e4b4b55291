package windrow.spark.aggregate

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.UnsafeFixedWidthAggregationMap
import org.apache.spark.sql.windrow.SparkInside
import org.apache.spark.unsafe.Platform
import windrow.spark.aggregate.SessionColumns._
import windrow.spark.functions.{Lift, RowAggregation}

/** Combines rows of a key that follow each other within the gap. Each key has one open session in a hash table of
  * Spark's. The session is emitted if a row is farther away than the gap, if no more memory is available, and at the
  * end.
  *
  * Rows may arrive in any order. The closer their order is to event-time order, the more of them are combined.
  */
private final class PartialSessions(columns: SessionColumns, schema: Seq[Attribute]) {

  private val keyOf       = UnsafeProjection.create(columns.keys, schema)
  private val restOf      = UnsafeProjection.create(columns.rest, schema)
  private val lift        = Lift(columns.functions, columns.inputs, schema)
  private val aggregation = new RowAggregation(columns.functions)
  private val aloneAt     = schema.indexWhere(_.exprId == columns.alone.exprId)
  private val noRest      = new GenericInternalRow(columns.rest.size)

  /** The open sessions, or null if no row has arrived since they were all emitted. */
  private var open: UnsafeFixedWidthAggregationMap = _

  /** The row that is emitted. It is valid until the next one. */
  private val (row, session) = (new JoinedRow, new JoinedRow)
  private val before         = aggregation.zero

  def all(messages: Iterator[InternalRow]): Iterator[InternalRow] = messages.flatMap(add) ++ close()

  /** Adds a row.
    *
    * @return
    *   entries that are complete
    */
  private def add(message: InternalRow): IterableOnce[InternalRow] = {
    val key    = keyOf(message)
    val buffer = lift(message)
    if (message.getBoolean(aloneAt)) Some(made(key, buffer, restOf(message)))
    else {
      val isFirst = open == null
      if (isFirst) open = newTable
      val known = open.getAggregationBufferFromUnsafeRow(key)
      if (known == null) if (isFirst) Some(made(key, buffer, noRest)) else close() ++ add(message)
      else if (known.getLong(CountAt) == 0) replace(known, buffer)
      else if (isNear(known, buffer.getLong(FirstAt))) combine(known, buffer)
      else {
        before.copyFrom(known)
        replace(known, buffer)
        Some(made(key, before, noRest))
      }
    }
  }

  private def isNear(session: UnsafeRow, time: Long): Boolean =
    time - session.getLong(LastAt) <= columns.gap && session.getLong(FirstAt) - time <= columns.gap

  private def combine(session: UnsafeRow, buffer: UnsafeRow): None.type = {
    aggregation.combine(session, buffer)
    None
  }

  /** Replaces the buffer of a session. Both buffers have the same width. */
  private def replace(session: UnsafeRow, buffer: UnsafeRow): None.type = {
    Platform.copyMemory(
      buffer.getBaseObject,
      buffer.getBaseOffset,
      session.getBaseObject,
      session.getBaseOffset,
      buffer.getSizeInBytes.toLong)
    None
  }

  private def made(key: UnsafeRow, buffer: UnsafeRow, rest: InternalRow): InternalRow = row(session(key, buffer), rest)

  private def close(): Iterator[InternalRow] =
    if (open == null) Iterator.empty
    else {
      val sessions = open.iterator()
      Iterator.continually(sessions.next()).takeWhile(identity)
        .map(_ => made(sessions.getKey, sessions.getValue, noRest)) ++ cleared()
    }

  private def cleared(): Iterator[InternalRow] = {
    open.free()
    open = null
    Iterator.empty
  }

  private def newTable =
    SparkInside.hashTable(aggregation.zero, columns.buffers, columns.keys, PartialSessions.Room)
}

private object PartialSessions {

  /** The initial number of keys, the same as in Spark's own aggregation. */
  private val Room = 16 * 1024
}
