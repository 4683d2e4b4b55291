package windrow.core.policy

import windrow.core.aggregate.{Aggregation, PageSum}
import windrow.core.state.{ByteReader, ByteWriter, Codec, KeyPages, PageLayout, Segments}
import windrow.core.store.OriginCodec
import windrow.core.time.EventTime

/** A message in a window.
  *
  * @param value
  *   value of the column that a delta policy uses; 0 without such a policy, NaN before the first number (SEMANTICS R89)
  * @param at
  *   processing time of its insertion, in microseconds
  * @param number
  *   its index among all messages ever inserted into its partition
  */
private[policy] final case class HeldMessage[B](message: EventMessage[B], value: Double, at: Long, number: Long)

private[policy] object HeldMessage {

  /** The processing time before the first one is known. */
  val NoTime: Long = EventTime.Min
}

/** The messages of a window in order of insertion, stored in pages. The cost of a step therefore depends on the
  * messages that enter and leave, not on the size of the window (SEMANTICS S10). Mutable.
  */
private[policy] final class HeldMessages[B](paged: HeldLayout[B], segments: Segments, pageBytes: Int) {
  private val pages = new KeyPages[Long, HeldMessage[B], HeldSummary[B]](paged, segments, pageBytes)
  private var count = 0L

  def size: Long       = count
  def isEmpty: Boolean = count == 0

  def oldest: Option[HeldMessage[B]] = pages.first
  def newest: Option[HeldMessage[B]] = pages.last

  /** All messages, read lazily. */
  def all: Iterator[HeldMessage[B]] = pages.all

  def messages: Vector[EventMessage[B]] = all.map(_.message).toVector

  /** Processing time of the earliest insertion. */
  def earliest: Option[Long] = pages.summary.map(_.earliest)

  /** All messages in one buffer, which must not be changed; None if the caller must combine the messages one by one. */
  def sum: Option[B] = {
    if (paged.sums && pages.summary.exists(_.sum.isEmpty)) pages.summarizeAnew(_.sum.isDefined)
    pages.summary.flatMap(_.sum)
  }

  def add(message: HeldMessage[B]): Unit = {
    pages.put(message)
    count += 1
  }

  /** Removes and returns the messages that meet `leaves`, in order.
    *
    * @param among
    *   must hold for the joint summary of messages if one of them may meet `leaves`
    */
  def take(among: HeldSummary[B] => Boolean)(leaves: HeldMessage[B] => Boolean): Vector[EventMessage[B]] = {
    val found = Vector.newBuilder[EventMessage[B]]
    pages.rewrite(among) { held =>
      val stays = !leaves(held)
      if (!stays) found += held.message
      Option.when(stays)(held)
    }
    val out = found.result()
    count -= out.size
    out
  }

  def takeOldest(): Vector[EventMessage[B]] = oldest.toVector.map { held =>
    pages.remove(held)
    count -= 1
    held.message
  }

  def clear(): Unit = {
    pages.clear()
    count = 0
  }

  /** Sets the processing time of messages that were inserted before the first one was known. */
  def begin(now: Long): Unit = pages.rewrite(_.earliest == HeldMessage.NoTime)(held =>
    Some(if (held.at == HeldMessage.NoTime) held.copy(at = now) else held))

  def write(out: ByteWriter): Unit = {
    out.count(count)
    if (count > 0) pages.write(out)
  }

  def read(in: ByteReader): Unit = {
    count = in.count()
    if (count > 0) pages.read(in)
  }
}

/** The summary of some messages.
  *
  * @param least
  *   the least value; infinite if none has a value
  * @param hasBlank
  *   whether a message lacks a value and therefore counts as having the first one
  * @param earliest
  *   processing time of the earliest insertion
  * @param sum
  *   combined buffer; None if it is not kept
  */
private[policy] final case class HeldSummary[B](least: Double, hasBlank: Boolean, earliest: Long, sum: Option[B]) {

  /** Whether one of the messages has a value below a bound, given the value `first` for messages without one. */
  def isBelow(bound: Double, first: Double): Boolean = least < bound || (hasBlank && first < bound)
}

/** Describes the messages of a window in pages.
  *
  * @param aggregation
  *   aggregation of messages
  * @param sums
  *   whether sums are kept, which requires that combining two sums gives the same as combining their messages one by
  *   one
  */
private[policy] final class HeldLayout[B](aggregation: Aggregation[B, _], val sums: Boolean)
    extends PageLayout[Long, HeldMessage[B], HeldSummary[B]] {
  private val sumOf = new PageSum(aggregation)

  implicit def order: Ordering[Long]    = Ordering.Long
  def place(held: HeldMessage[B]): Long = held.number
  val places: Codec[Long]               = HeldLayout.Numbers
  val values: Codec[HeldMessage[B]]     = new HeldCodec(aggregation)
  def summaryOf(held: HeldMessage[B])   = summaryOf(Iterator.single(held))
  override def summaryOf(some: Iterator[HeldMessage[B]]): HeldSummary[B] = {
    var least    = Double.PositiveInfinity
    var hasBlank = false
    var earliest = Long.MaxValue
    var sum      = Option.empty[B]
    some.foreach { held =>
      if (held.value.isNaN) hasBlank = true else least = math.min(least, held.value)
      earliest = math.min(earliest, held.at)
      if (sums) sum = sumOf.add(sum, held.message.buffer)
    }
    HeldSummary(least, hasBlank, earliest, sum)
  }

  def merged(one: HeldSummary[B], other: HeldSummary[B]): HeldSummary[B] = HeldSummary(
    math.min(one.least, other.least),
    one.hasBlank || other.hasBlank,
    math.min(one.earliest, other.earliest),
    sumOf.merged(one.sum, other.sum))

  override def added(summary: HeldSummary[B], held: HeldMessage[B]): Option[HeldSummary[B]] =
    Option.when(summary.sum.isDefined == sums)(merged(summary, summaryOf(held)))

  val summaries: Codec[HeldSummary[B]] = new Codec[HeldSummary[B]] {
    def write(summary: HeldSummary[B], out: ByteWriter): Unit = {
      out.long(java.lang.Double.doubleToLongBits(summary.least))
      out.byte(if (summary.hasBlank) 1 else 0)
      out.long(summary.earliest)
      sumOf.write(summary.sum, out)
    }

    def read(in: ByteReader): HeldSummary[B] = HeldSummary(
      java.lang.Double.longBitsToDouble(in.long()),
      in.byte() == 1,
      in.long(),
      sumOf.read(in))
  }
}

private object HeldLayout {
  object Numbers extends Codec[Long] {
    def write(number: Long, out: ByteWriter): Unit = out.long(number)
    def read(in: ByteReader): Long                 = in.long()
  }
}

/** Writes and reads a message of a window. */
private[policy] final class HeldCodec[B](buffers: Codec[B]) extends Codec[HeldMessage[B]] {
  def write(held: HeldMessage[B], out: ByteWriter): Unit = {
    out.bytes(held.message.raw)
    buffers.write(held.message.buffer, out)
    OriginCodec.Optional.write(held.message.origin, out)
    out.long(java.lang.Double.doubleToLongBits(held.value))
    out.long(held.at)
    out.count(held.number)
  }

  def read(in: ByteReader): HeldMessage[B] = HeldMessage(
    EventMessage(in.bytes(), buffers.read(in), OriginCodec.Optional.read(in)),
    java.lang.Double.longBitsToDouble(in.long()),
    in.long(),
    in.count())
}
