package windrow.core.store

import windrow.Reason
import windrow.SourcePartition
import windrow.TimeSpan
import windrow.core.operator.Counters
import windrow.core.operator.HeaderStart
import windrow.core.operator.Origin
import windrow.core.state.AppliedOffsets
import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter
import windrow.core.state.Progress
import windrow.core.state.ShardStore
import windrow.core.state.SpecFingerprint
import windrow.core.time.Axis
import windrow.core.time.Distance
import windrow.core.time.EventTime
import windrow.core.time.Watermark

/** What the shards of all operators have in common: how far time has come, which messages are known, which have no place in
  * time (SEMANTICS A), and the header that keeps it.
  *
  * @param store
  *   where the shard lives between two of its objects
  * @param fingerprint
  *   what may not change while the state lives, in words
  * @param keepsClock
  *   the header tells the last processing time
  */
private[core] final class Admission(
    store: ShardStore,
    fingerprint: SpecFingerprint,
    allowed: Distance[Axis.Time] = Distance.none[Axis.Time],
    maxFuture: Option[TimeSpan] = None,
    keepsClock: Boolean = true) {
  val counters = new Counters

  /** How late messages came. */
  val lateness = new LatenessCounts

  /** How many windows are open. */
  val openWindows = new OpenCount

  private val start   = new HeaderStart(fingerprint, allowed)
  private val applied = new AppliedOffsets(store)

  /** At the end of the last step. */
  var watermark: Watermark = Watermark.None

  /** In microseconds; None before the first. */
  var processingTime: Option[Long] = None

  /** A step has come; true if its processing time is the first. */
  def begin(now: Option[Long]): Boolean = {
    val isFirst = processingTime.isEmpty && now.isDefined
    processingTime = now.orElse(processingTime)
    isFirst
  }

  /** What the step brings to the whole stream. */
  def tell(progress: Iterable[Progress]): Unit = applied.tell(progress)

  /** Marks a message as applied; true: it was before, which is counted.
    *
    * @param place
    *   in time, by which it is refused one day; None: it has none
    */
  def isReplay(origin: Option[Origin], place: Option[Long]): Boolean = {
    val isKnown = origin.exists(from =>
      !applied(from.partition, from.offset, place.getOrElse(AppliedOffsets.NoPlace)))
    if (isKnown) counters.duplicates += 1
    isKnown
  }

  /** The time of a message, or why it has none that can be used. */
  def timeOf(message: Incoming): Either[Reason, Long] =
    reasonAgainst(message.time, lasts = 0).toLeft(message.time.getOrElse(0L))

  /** Why a message has no time that can be used (SEMANTICS A2, A3).
    *
    * @param lasts
    *   the gap of its session
    */
  def reasonAgainst(time: Option[Long], lasts: Long): Option[Reason] =
    if (!time.exists(EventTime.holds(_, lasts))) Some(Reason.InvalidTime)
    else if (isTooFarAhead(time.get)) Some(Reason.TooFarAhead)
    else None

  private def isTooFarAhead(time: Long): Boolean =
    maxFuture.exists(limit => processingTime.exists(EventTime.isBeyond(time, _, limit.micros)))

  /** For each source partition the offset after the greatest that was applied. */
  def nextOffsets: Map[SourcePartition, Long] = applied.next

  /** Where a replay must begin to rebuild a store: for each source partition the least offset that is still kept, else
    * the next one (SEMANTICS R27).
    */
  def restartOffsets(kept: Iterator[Origin]): Map[SourcePartition, Long] =
    kept.foldLeft(applied.next) { (least, origin) =>
      val of = origin.partition
      least.updated(of, math.min(origin.offset, least.getOrElse(of, origin.offset)))
    }

  /** @param rest
    *   reads what the shard itself has put into its header
    */
  def open(rest: ByteReader => Unit): Unit = Option(store.header).foreach { bytes =>
    ByteReader.unsealed(bytes, "the header of a shard").decode { in =>
      watermark = start.read(in)
      lateness.read(in)
      openWindows.read(in)
      if (keepsClock) processingTime = Option.when(in.byte() == 1)(in.long())
      applied.read(in)
      rest(in)
    }
  }

  /** The windows of a step are written.
    *
    * @param count
    *   how many are open, of how many there were as the shard was opened
    */
  def tellOpen(count: Option[Long] => Option[Long]): Unit = {
    openWindows.end(count)
    counters.openWindows = openWindows.now
    counters.openChange = openWindows.change
  }

  /** Ends a step.
    *
    * @param isPast
    *   a message of a source that has this place in time is refused from now on
    */
  def write(isPast: (String, Long) => Boolean)(rest: ByteWriter => Unit): Unit = {
    applied.flush(isPast)
    val out = new ByteWriter
    start.write(out, watermark)
    lateness.write(out)
    openWindows.write(out)
    if (keepsClock) {
      out.byte(if (processingTime.isDefined) 1 else 0)
      processingTime.foreach(out.long)
    }
    applied.write(out)
    rest(out)
    store.putHeader(out.sealedResult())
  }
}
