package windrow.core.store

import scala.collection.mutable.ArrayBuffer
import windrow.core.state.{ByteReader, ByteWriter, Codec, Page}
import windrow.core.time.{EventTime, Position}

/** A page of a [[MessageRun]].
  *
  * @param withTotals
  *   whether the root stores the totals of the messages, unless they cover too many source partitions
  */
private[store] final class MessagePage(codec: Codec[StoredMessage], withTotals: Boolean) extends Page[StoredMessage] {
  import MessagePage._

  /** Approximate memory use of the messages in bytes; 0 while they are not read. */
  var weight = 0L

  var first: StoredMessage = _ // at least its position
  var maxTime              = EventTime.Min

  /** Number of messages that are not settled. */
  var unsettled = 0

  /** Totals of all messages; null if they are unknown without reading the messages. */
  private var known: Totals = _

  private var minOffset = Position.Greatest
  private var maxOffset = Position.Least

  protected def describe(): Unit = {
    weight = 0
    maxTime = EventTime.Min
    unsettled = 0
    known = null
    minOffset = Position.Greatest
    maxOffset = Position.Least
    values.foreach(include)
  }

  protected def include(message: StoredMessage): Unit = {
    weight += message.weight
    if (!message.isSettled) unsettled += 1
    known = null
    first = values(0)
    maxTime = math.max(maxTime, message.time)
    message.origin.foreach { from =>
      minOffset = math.min(minOffset, from.offset)
      maxOffset = math.max(maxOffset, from.offset)
    }
  }

  override def receive(stored: ArrayBuffer[StoredMessage]): Unit = {
    super.receive(stored)
    weight = stored.foldLeft(0L)(_ + _.weight)
  }

  override def release(): Unit = {
    super.release()
    weight = 0
  }

  def mayHoldOffsets(low: Long, high: Long): Boolean = minOffset <= high && maxOffset >= low

  /** Replaces an unsettled message of a page that is read by the same message, settled. */
  def settle(index: Int, by: StoredMessage): Unit = {
    unsettled -= 1
    values(index) = by
    changed = true
    first = values(0)
  }

  def knowsTotals: Boolean = known != null || isRead

  /** Totals of all messages. They must be known, or the page must be read. */
  def totals: Totals = {
    if (known == null) known = Totals.of(values.iterator)
    known
  }

  def write(out: ByteWriter): Unit = {
    codec.write(first.position, out)
    Seq(maxTime, minOffset, maxOffset).foreach(out.long)
    out.count(unsettled.toLong)
    StoredTotals.write(Option.when(withTotals && knowsTotals)(totals).filter(_.offsets.size <= MostPartitions), out)
  }

  def read(in: ByteReader): Unit = {
    first = codec.read(in)
    maxTime = in.long()
    minOffset = in.long()
    maxOffset = in.long()
    unsettled = in.count().toInt
    known = StoredTotals.read(in).orNull
  }
}

private[store] object MessagePage {

  /** Maximum number of source partitions for which the root stores offsets. */
  private val MostPartitions = 4

  private val StoredTotals = Codec.option(Totals)
}
