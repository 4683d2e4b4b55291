package windrow.core.store

import windrow.core.offsets.{AppliedOffsets, Progress}
import windrow.core.operator.{Counters, HeaderStart, Origin}
import windrow.core.state.{ByteReader, ByteWriter, ShardStore, SpecFingerprint}
import windrow.core.time.{Axis, Distance, EventTime, Watermark}
import windrow.{Reason, SourcePartition, TimeSpan}

/** The state that the shards of all operators share: the watermark, processing time, applied offsets, counts, the check
  * of event times (SEMANTICS A), and the header that stores them.
  *
  * @param store
  *   where the shard is stored between two objects that run it
  * @param fingerprint
  *   properties of the query that must not change while the state exists
  * @param keepsClock
  *   the header includes the last processing time
  */
private[core] final class Admission(
    store: ShardStore,
    fingerprint: SpecFingerprint,
    allowed: Distance[Axis.Time] = Distance.none[Axis.Time],
    maxFuture: Option[TimeSpan] = None,
    keepsClock: Boolean = true) {
  val counters = new Counters

  val lateness = new LatenessCounts

  val openWindows = new OpenCount

  private val start   = new HeaderStart(fingerprint, allowed)
  private val applied = new AppliedOffsets(store)

  /** The watermark at the end of the last step. */
  var watermark: Watermark = Watermark.None

  /** Processing time in microseconds; None before the first one is known. */
  var processingTime: Option[Long] = None

  /** Starts a step; returns true if its processing time is the first one known. */
  def begin(now: Option[Long]): Boolean = {
    val isFirst = processingTime.isEmpty && now.isDefined
    processingTime = now.orElse(processingTime)
    isFirst
  }

  /** Records offsets that the step brings to all shards of the stream. */
  def tell(progress: Iterable[Progress]): Unit = applied.tell(progress)

  /** Marks a message as applied; returns true, and counts a duplicate, if it already was.
    *
    * @param place
    *   place of the message in time, which decides when it becomes too late; None if it has none
    */
  def isReplay(origin: Option[Origin], place: Option[Long]): Boolean = {
    val isKnown = origin.exists(from =>
      !applied(from.partition, from.offset, place.getOrElse(AppliedOffsets.NoPlace)))
    if (isKnown) counters.duplicates += 1
    isKnown
  }

  /** The event time of a message, or the reason why it is unusable. */
  def timeOf(message: Incoming): Either[Reason, Long] =
    reasonAgainst(message.time, lasts = 0).toLeft(message.time.getOrElse(0L))

  /** The reason why an event time is unusable, or None (SEMANTICS A2, A3).
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

  /** For each source partition, the offset after the greatest applied one. */
  def nextOffsets: Map[SourcePartition, Long] = applied.next

  /** The first offset to read again for each source partition to rebuild a store: the least offset still kept,
    * otherwise the next one (SEMANTICS R27).
    */
  def restartOffsets(kept: Iterator[Origin]): Map[SourcePartition, Long] =
    kept.foldLeft(applied.next) { (least, origin) =>
      val of = origin.partition
      least.updated(of, math.min(origin.offset, least.getOrElse(of, origin.offset)))
    }

  /** Reads the header if the store has one.
    *
    * @param rest
    *   reads the part that the shard itself has added
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

  /** Records the number of open windows after those of the step are written.
    *
    * @param count
    *   computes their number from the number when the shard was opened
    */
  def tellOpen(count: Option[Long] => Option[Long]): Unit = {
    openWindows.end(count)
    counters.openWindows = openWindows.now
    counters.openChange = openWindows.change
  }

  /** Ends a step and writes the header.
    *
    * @param isPast
    *   whether a message of this source with this place in time is rejected from now on
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
