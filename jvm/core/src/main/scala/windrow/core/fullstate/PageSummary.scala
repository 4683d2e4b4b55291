package windrow.core.fullstate

import windrow.SourcePartition
import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter
import windrow.core.state.Codec
import windrow.core.state.Paged
import windrow.core.state.SourcePartitionCodec
import windrow.core.store.StoredMessage
import windrow.core.store.Unsent
import windrow.core.store.WindowId
import windrow.core.store.WindowRow

/** What a page of windows tells of them unread (SEMANTICS S10).
  *
  * @param deadlines
  *   how far their axis must come for the next of them to complete or to close, by source partition where that is their
  *   axis; none of windows that are closed
  * @param period
  *   the processing time at which the first of them fires, in microseconds; [[windrow.core.time.Due.Never]]: at none
  * @param oldest
  *   the event time from which on retention leaves them their messages; [[windrow.core.time.EventTime.Max]]: none is open
  * @param newest
  *   of windows that are only remembered: the first message with which one of them leaves
  */
private[fullstate] final case class PageSummary(
    deadlines: Map[Option[SourcePartition], Long],
    period: Long,
    oldest: Long,
    newest: Option[StoredMessage]) {

  /** Some may take messages still. */
  def takesMessages: Boolean = deadlines.nonEmpty

  def and(other: PageSummary): PageSummary = PageSummary(
    other.deadlines.foldLeft(deadlines) { case (all, (axis, at)) =>
      all.updated(axis, all.get(axis).fold(at)(math.min(_, at)))
    },
    math.min(period, other.period),
    math.min(oldest, other.oldest),
    (newest ++ other.newest).minOption(StoredMessage.Order))
}

/** A key's windows in pages.
  *
  * @param outlook
  *   of one of them, as it is now
  */
private[fullstate] final class PagedRows(
    messages: Codec[StoredMessage],
    unsent: Unsent.Stored[StoredMessage],
    outlook: WindowRow => PageSummary)
    extends Paged[WindowId, WindowRow, PageSummary] {
  implicit def order: Ordering[WindowId]                      = WindowId.Order
  def at(row: WindowRow): WindowId                            = row.id
  val places: Codec[WindowId]                                 = WindowId.codec(messages)
  val values: Codec[WindowRow]                                = WindowRow.codec(messages, unsent)
  def tell(row: WindowRow): PageSummary                       = outlook(row)
  def both(one: PageSummary, other: PageSummary): PageSummary = one.and(other)

  val told: Codec[PageSummary] = new Codec[PageSummary] {
    private val axes   = Codec.option(SourcePartitionCodec)
    private val newest = Codec.option(messages)

    def write(told: PageSummary, out: ByteWriter): Unit = {
      out.count(told.deadlines.size.toLong)
      told.deadlines.foreach { case (axis, at) =>
        axes.write(axis, out)
        out.long(at)
      }
      out.long(told.period)
      out.long(told.oldest)
      newest.write(told.newest, out)
    }

    def read(in: ByteReader): PageSummary =
      PageSummary(Seq.fill(in.size())(axes.read(in) -> in.long()).toMap, in.long(), in.long(), newest.read(in))
  }
}
