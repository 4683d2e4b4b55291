package windrow.spark.standalone

import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter
import windrow.operators.Outbox

/** The outputs of an operator until its consumer in Python has them: first tables, then outputs that are not in a table
  * yet. Python passes the new outputs to its hook, and answers for the tables.
  *
  * @param written
  *   converts outputs to a table; if it fails, they stay
  * @param sends
  *   whether Python sends the tables; otherwise they wait for `flush`
  */
private[standalone] final class TableOutbox[R](written: Seq[R] => Array[Byte], val sends: Boolean) extends Outbox[R] {
  private var tables    = Array.emptyByteArray // Arrow streams, one after another
  private var rows      = 0
  private var unshown   = Vector.empty[R]
  private var isRefused = false

  def size: Int                  = rows + unshown.size
  def shown: Seq[R]              = unshown
  def add(outputs: Seq[R]): Unit = unshown ++= outputs
  def release(): Boolean         = !isRefused
  def show(): Unit               = if (unshown.nonEmpty) replaceNew(written(unshown), unshown.size)

  /** Returns the new outputs as a table, or null if there are none. */
  def newOutputs(): Array[Byte] = if (unshown.isEmpty) null else written(unshown)

  /** Replaces the new outputs by a table. */
  def replaceNew(table: Array[Byte], count: Int): Unit = {
    unshown = Vector.empty
    if (count > 0) tables ++= table
    rows += count
  }

  /** Returns all outputs as one or more Arrow streams. */
  def waiting(): Array[Byte] = {
    show()
    if (rows == 0) written(Nil) else tables
  }

  /** Receives the consumer's answer for all outputs. If it refuses them, no message is accepted until it has them. */
  def answer(isAccepted: Boolean): Unit = if (isAccepted) clear() else isRefused = true

  def clear(): Unit = {
    replaceNew(Array.emptyByteArray, 0)
    tables = Array.emptyByteArray
    rows = 0
    isRefused = false
  }

  def image(): Array[Byte] = {
    show()
    val out = new ByteWriter(64)
    out.count(rows.toLong)
    out.bytes(tables)
    out.result()
  }

  def restore(image: Array[Byte]): Unit = {
    TableOutbox.read(ByteReader(image)) match { case (count, table) => replaceNew(table, count) }
    isRefused = sends && rows > 0
  }
}

private object TableOutbox {
  def read(in: ByteReader): (Int, Array[Byte]) = (in.count().toInt, in.bytes())
}
