package windrow.spark.standalone

import windrow.core.state.{ByteReader, ByteWriter}
import windrow.operators.Outbox

/** The outputs of an operator until its consumer in Python has them: tables, followed by outputs that are not in a table
  * yet. Python passes new outputs to `beforeSend` and all outputs to `send`, and reports whether it accepted them.
  *
  * @param written
  *   converts outputs to a table, as an Arrow stream; if it fails, they stay
  * @param sends
  *   whether Python sends the outputs; otherwise they wait for `flush`
  */
private[standalone] final class TableOutbox[R](written: Seq[R] => Array[Byte], val sends: Boolean) extends Outbox[R] {
  private var tables     = Vector.empty[Array[Byte]]
  private var rows       = 0 // in the tables
  private var unshown    = Vector.empty[R]
  private var isRejected = false

  def size: Int                  = rows + unshown.size
  def shown: Seq[R]              = unshown
  def add(outputs: Seq[R]): Unit = unshown ++= outputs
  def release(): Boolean         = !isRejected
  def show(): Unit               = if (unshown.nonEmpty) replaceNew(written(unshown), unshown.size)

  /** Returns the new outputs as a table, or null if there are none. */
  def newOutputs(): Array[Byte] = if (unshown.isEmpty) null else written(unshown)

  /** Replaces the new outputs by a table. */
  def replaceNew(table: Array[Byte], count: Int): Unit = {
    unshown = Vector.empty
    if (count > 0) tables :+= table
    rows += count
  }

  /** Returns all outputs as one or more Arrow streams, one after another.
    *
    * @param known
    *   number of the first streams to omit, because the caller has them since the outbox was last cleared
    */
  def waiting(known: Int = 0): Array[Byte] = {
    show()
    if (tables.isEmpty) written(Nil) else Array.concat(tables.drop(known): _*)
  }

  /** Receives whether the consumer accepted all outputs. If it did not, no message is accepted until it does. */
  def answer(isAccepted: Boolean): Unit = if (isAccepted) clear() else isRejected = true

  def clear(): Unit = {
    tables = Vector.empty
    rows = 0
    unshown = Vector.empty
    isRejected = false
  }

  def image(): Array[Byte] = {
    show()
    val out = new ByteWriter(64)
    out.count(rows.toLong)
    out.count(tables.size.toLong)
    tables.foreach(out.bytes)
    out.result()
  }

  def restore(image: Array[Byte]): Unit = {
    TableOutbox.read(ByteReader(image)) match {
      case (count, read) =>
        clear()
        tables = read
        rows = count
    }
    isRejected = sends && rows > 0
  }
}

private object TableOutbox {
  def read(in: ByteReader): (Int, Vector[Array[Byte]]) = (in.count().toInt, Vector.fill(in.size())(in.bytes()))
}
