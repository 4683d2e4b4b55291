package windrow.testkit.large

import scala.collection.mutable
import windrow.replay.Message

/** A message, and the watermark by which it is judged; None: any time will do. */
final case class Judged(message: Message, key: Long, time: Long, number: Long, step: Int, before: Option[Long])

/** Messages that are no replays, in the order in which a step applies them, each with the watermark before its step.
  *
  * Plain collections only: what the core gives is compared with what is made of these.
  */
final class Walk(steps: Seq[(Seq[Message], Long)]) {

  val read: Int = steps.map(_._1.size).sum

  /** After each step. */
  val watermarks: Seq[Long] = steps.map(_._2)

  val messages: Seq[Judged] = {
    val seen = mutable.HashSet.empty[(Option[String], Long)]
    steps.zipWithIndex.flatMap { case ((arrived, _), step) =>
      val before = Option.when(step > 0)(steps(step - 1)._2).filter(_ != Long.MinValue)
      val fresh  = arrived.filter(message => seen.add((message.stream, message.offset.get)))
      fresh.map { message =>
        Judged(message, whole(message.key), message.time.get, whole(message.value), step, before)
      }.sortBy(one => (one.time, one.message.partition, one.message.offset))
    }
  }

  private def whole(value: windrow.replay.Value): Long = value match {
    case windrow.replay.Value.Whole(number) => number
    case other                              => throw new IllegalArgumentException(other.toString)
  }
}
