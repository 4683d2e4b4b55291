package windrow.testkit.large

import scala.collection.mutable
import windrow.replay.Message

/** A message with the watermark by which it is judged, or None if it is accepted at any time. */
final case class Judged(message: Message, key: Long, time: Long, number: Long, step: Int, before: Option[Long]) {
  def id: Judged.Id = (message.stream, number)
}

object Judged {

  /** Stream and number. */
  type Id = (Option[String], Long)
}

/** The messages that are not duplicates, in the order in which a step applies them, each with the watermark before its
  * step.
  *
  * Uses plain collections only. The output of the core is compared with results that are computed from these.
  */
final class Walk(steps: Seq[(Seq[Message], Long)]) {

  val read: Int = steps.map(_._1.size).sum

  /** The watermark after each step. */
  val watermarks: Seq[Long] = steps.map(_._2)

  /** The first message of each offset, and the messages that repeat one, both in order of arrival. */
  private val (fresh, repeated) = {
    val seen = mutable.HashSet.empty[(Option[String], Long)]
    steps.zipWithIndex.flatMap { case ((arrived, _), step) =>
      val before = Option.when(step > 0)(steps(step - 1)._2).filter(_ != Long.MinValue)
      arrived.map { message =>
        val one = Judged(message, whole(message.key), message.time.get, whole(message.value), step, before)
        (one, seen.add((message.stream, message.offset.get)))
      }
    }.partitionMap { case (one, isNew) => if (isNew) Left(one) else Right(one) }
  }

  val messages: Seq[Judged] = fresh.sortBy(one => (one.step, one.time, one.message.partition, one.message.offset))

  /** Counts, for each message that every window rejects, how often it arrived again. Such a message may no longer be
    * recognized as a duplicate (SEMANTICS R13).
    */
  def forgotten(refuses: Judged => Boolean): Map[Judged.Id, Int] =
    repeated.filter(refuses).groupBy(_.id).map { case (id, all) => id -> all.size }

  private def whole(value: windrow.replay.Value): Long = value match {
    case windrow.replay.Value.Whole(number) => number
    case other                              => throw new IllegalArgumentException(other.toString)
  }
}
