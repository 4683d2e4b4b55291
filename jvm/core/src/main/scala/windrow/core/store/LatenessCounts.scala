package windrow.core.store

import windrow.core.state.{ByteReader, ByteWriter, SpecFingerprint}
import windrow.core.time.Watermark

/** Counts how late the messages of a shard were (SEMANTICS S15). A message that arrives after its last window has ended
  * is counted by the distance of the watermark from that end; all others are only counted in total.
  *
  * To accept such a message, an operator needs a lateness greater than this distance. The operator's own lateness does
  * not affect the counts.
  */
private[windrow] final class LatenessCounts {
  import LatenessCounts._

  /** Number of messages with an event time, without duplicates. */
  var messages = 0L

  /** Number of windows that fired on time. */
  var windows = 0L

  /** The counts as last written; decoded when the first late message arrives. */
  private var stored            = Array.emptyByteArray
  private var late: Array[Long] = _

  /** Counts messages.
    *
    * @param place
    *   place in time, at most the end of its last window
    * @param count
    *   number of messages
    * @param watermark
    *   the watermark before their step
    * @param lastEnd
    *   end of the last window of a place
    */
  def see(place: Long, count: Long, watermark: Watermark, lastEnd: Long => Long): Unit = {
    messages += count
    if (place <= watermark.micros && watermark.isDefined && !watermark.isEnd) {
      val end = lastEnd(place) // the greatest time if the window is unbounded
      if (end <= watermark.micros) counts(bucket(watermark.micros - end)) += count
    }
  }

  private def counts: Array[Long] = {
    if (late == null) {
      late = new Array(Buckets)
      decode(stored)((bucket, count) => late(bucket) = count)
    }
    late
  }

  /** Adds the counts of another shard. */
  def add(other: LatenessCounts): Unit = {
    messages += other.messages
    windows += other.windows
    other.all.foreach { case (bucket, count) => counts(bucket) += count }
  }

  /** Bucket numbers with their counts, ascending. */
  def all: Iterator[(Int, Long)] = counts.iterator.zipWithIndex.collect { case (count, i) if count > 0 => i -> count }

  def read(in: ByteReader): Unit = {
    messages = in.count()
    windows = in.count()
    if (messages < 0 || windows < 0) throw in.damaged(s"it counts $messages messages in $windows windows")
    stored = in.bytes()
  }

  def write(out: ByteWriter): Unit = {
    out.count(messages)
    out.count(windows)
    out.bytes(if (late == null) stored else encode(all))
  }
}

private[windrow] object LatenessCounts {

  /** Buckets are 1 ms wide below 16 ms; above, each power of two has 16 of them, so their width is 3 to 6 % of the
    * lateness.
    */
  private val Parts   = 16
  private val Shift   = 4
  private val Buckets = Parts * 56

  /** @param micros
    *   not negative
    */
  def bucket(micros: Long): Int = {
    val millis = micros / 1000
    val up     = math.max(0, 63 - java.lang.Long.numberOfLeadingZeros(millis) - Shift)
    up * Parts + (millis >> up).toInt
  }

  /** The least lateness in microseconds that accepts all messages of a bucket. */
  def upTo(bucket: Int): Long = {
    val up = math.max(0, bucket / Parts - 1)
    ((bucket - up * Parts).toLong + 1 << up) * 1000
  }

  /** Reads the counts from the header of a shard. */
  def of(header: Array[Byte]): LatenessCounts = {
    val in = ByteReader.unsealed(header, "the header of a shard")
    SpecFingerprint.read(in)
    in.long()
    val counts = new LatenessCounts
    counts.read(in)
    counts
  }

  private[store] def encode(all: Iterator[(Int, Long)]): Array[Byte] = {
    val out = new ByteWriter
    all.foldLeft(0) { case (before, (bucket, count)) =>
      out.count((bucket - before).toLong)
      out.count(count)
      bucket
    }
    out.result()
  }

  private[store] def decode(bytes: Array[Byte])(each: (Int, Long) => Unit): Unit = {
    val in     = ByteReader(bytes, "the lateness of the messages")
    var bucket = 0L
    while (in.hasNext) {
      bucket += in.count()
      val count = in.count()
      if (bucket < 0 || bucket >= Buckets) throw in.damaged(s"the lateness bucket $bucket does not exist")
      if (count <= 0) throw in.damaged(s"it counts $count late messages")
      each(bucket.toInt, count)
    }
  }
}
