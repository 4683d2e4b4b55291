package windrow.replay

/** Windows of positions, `[first, last]`, both inclusive (SEMANTICS W). */
private[windrow] sealed trait ReferenceTuples extends ReferenceWindows {
  override def isHalfOpen: Boolean = false

  override val order: Ordering[Message] = Message.ByPosition
}

/** Windows that start every `step` positions from a first position. */
private[windrow] sealed trait SteppedTuples extends ReferenceTuples {
  def n: Long
  def step: Long

  protected def at(position: Long, start: Long, partition: Option[Int]): Seq[Bounds] = {
    val last = Math.floorDiv(position - start, step) * step + start
    Iterator.iterate(last)(_ - step).takeWhile(first => first >= start && first + n > position)
      .map(first => Bounds(first, first + n - 1, partition)).toSeq.reverse
  }

  def all(held: Seq[Held]): Seq[Bounds] = held.flatMap(one => own(one.message, one.sequence)).distinct

  def contents(window: Bounds, held: Seq[Held]): Seq[Held] =
    held.filter(one => own(one.message, one.sequence).contains(window)).sortBy(position)
}

/** Windows by sequence number in the key. */
private[windrow] final class Counts(val n: Long, val step: Long) extends SteppedTuples {
  def own(message: Message, sequence: Long): Seq[Bounds] = at(sequence, start = 0, partition = None)

  override def position(one: Held): Option[Long] = Some(one.sequence)
}

/** Windows by offset in the partition, from its start offset on. Earlier offsets are in a gap (SEMANTICS R21). */
private[windrow] final class OffsetWindows(val n: Long, val step: Long, starts: Map[Long, Long])
    extends SteppedTuples {

  def own(message: Message, sequence: Long): Seq[Bounds] =
    for {
      partition <- message.partition.toSeq
      offset    <- message.offset.toSeq
      window    <- at(offset, starts.getOrElse(partition.toLong, 0L), Some(partition))
    } yield window

  override def position(one: Held): Option[Long] = one.message.offset
}

/** Sessions of messages of a key in one partition, with at most `n` other messages of the partition between two of
  * them.
  */
private[windrow] final class TupleSessions(n: Long) extends ReferenceTuples {

  def own(message: Message, sequence: Long): Seq[Bounds] =
    message.offset.toSeq.map(offset => Bounds(offset, offset, message.partition))

  def all(held: Seq[Held]): Seq[Bounds] =
    held.groupBy(_.message.partition).values.toSeq.flatMap(
      _.flatMap(one => own(one.message, one.sequence)).sorted(Bounds.Order).foldLeft(Vector.empty[Bounds]) {
        case (earlier :+ session, next) if next.start - session.end - 1 <= n => earlier :+ session.copy(end = next.end)
        case (sessions, next)                                                => sessions :+ next
      })

  def contents(window: Bounds, held: Seq[Held]): Seq[Held] =
    held.filter(one =>
      one.message.partition == window.partition && window.start <= one.offset && one.offset <= window.end)
      .sortBy(_.offset)

  override def position(one: Held): Option[Long] = one.message.offset
}
