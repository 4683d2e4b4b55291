package windrow.core.fullstate

import windrow.SourcePartition
import windrow.core.offsets.SourcePartitionCodec
import windrow.core.state.{ByteReader, ByteWriter, Codec, PageLayout}
import windrow.core.store.{StoredMessage, UnsentMessages, WindowId, WindowRow}

/** The summary of a page of windows, available without reading the page (SEMANTICS S10).
  *
  * @param deadlines
  *   the progress at which the next window completes or closes, by source partition for windows on offsets; excludes
  *   closed windows
  * @param period
  *   the processing time at which the first of them fires, in microseconds; [[windrow.core.time.Due.Never]] if none
  *   does
  * @param oldest
  *   the event time from which on retention keeps messages for them; [[windrow.core.time.EventTime.Max]] if none is
  *   open
  * @param newest
  *   for closed windows, the first message with which one of them is removed
  */
private[fullstate] final case class PageSummary(
    deadlines: Map[Option[SourcePartition], Long],
    period: Long,
    oldest: Long,
    newest: Option[StoredMessage]) {

  /** Whether a window may still accept messages. */
  def takesMessages: Boolean = deadlines.nonEmpty

  def and(other: PageSummary): PageSummary = PageSummary(
    other.deadlines.foldLeft(deadlines) { case (all, (axis, at)) =>
      all.updated(axis, all.get(axis).fold(at)(math.min(_, at)))
    },
    math.min(period, other.period),
    math.min(oldest, other.oldest),
    (newest ++ other.newest).minOption(StoredMessage.Order))
}

/** Describes a key's windows in pages.
  *
  * @param outlook
  *   the current summary of one window
  */
private[fullstate] final class RowLayout(
    messages: Codec[StoredMessage],
    unsent: UnsentMessages.UnsentCodec[StoredMessage],
    outlook: WindowRow => PageSummary)
    extends PageLayout[WindowId, WindowRow, PageSummary] {
  implicit def order: Ordering[WindowId]                        = WindowId.Order
  def place(row: WindowRow): WindowId                           = row.id
  val places: Codec[WindowId]                                   = WindowId.codec(messages)
  val values: Codec[WindowRow]                                  = WindowRow.codec(messages, unsent)
  def summaryOf(row: WindowRow): PageSummary                    = outlook(row)
  def merged(one: PageSummary, other: PageSummary): PageSummary = one.and(other)

  val summaries: Codec[PageSummary] = new Codec[PageSummary] {
    private val axes   = Codec.option(SourcePartitionCodec)
    private val newest = Codec.option(messages)

    def write(page: PageSummary, out: ByteWriter): Unit = {
      out.count(page.deadlines.size.toLong)
      page.deadlines.foreach { case (axis, at) =>
        axes.write(axis, out)
        out.long(at)
      }
      out.long(page.period)
      out.long(page.oldest)
      newest.write(page.newest, out)
    }

    def read(in: ByteReader): PageSummary =
      PageSummary(Seq.fill(in.size())(axes.read(in) -> in.long()).toMap, in.long(), in.long(), newest.read(in))
  }
}
