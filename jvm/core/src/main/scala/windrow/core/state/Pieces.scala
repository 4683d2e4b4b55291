package windrow.core.state

import scala.collection.mutable

/** Large parts of the values of a shard. Each is a stored value of its own, written once and read on demand. */
private[windrow] final class Pieces(store: Spaces) extends StatePart {
  private lazy val segments = new Segments(Pieces.Space, store)
  private val released      = mutable.LinkedHashSet.empty[Long]

  def put(out: ByteWriter): Long = {
    val id = segments.newId()
    segments.write(id, out)
    id
  }

  def read[T](id: Long)(code: ByteReader => T): T = segments.read(id)(code)

  /** Removes a piece when the step ends: until then, panes that are still to be made may need it. */
  def release(id: Long): Unit = { released += id; () }

  override def flush(): Unit = {
    released.foreach(segments.remove)
    released.clear()
  }

  def readDirectory(in: ByteReader): Unit   = segments.readDirectory(in)
  def writeDirectory(out: ByteWriter): Unit = segments.writeDirectory(out)
}

private[windrow] object Pieces {
  val Space = "pieces"
}
