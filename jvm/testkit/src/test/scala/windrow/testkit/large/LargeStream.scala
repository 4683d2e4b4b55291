package windrow.testkit.large

import scala.util.Random
import windrow.replay.Value.Whole
import windrow.replay._

/** A stream of thousands of messages, determined by a seed. The value of a message is its number.
  *
  * @param skew
  *   1 if all keys have equally many messages; a higher value gives the first keys more messages
  * @param behind
  *   the maximal delay, in microseconds, of a tenth of the messages (of all messages if `isShuffled`)
  * @param duplicates
  *   one of this many messages arrives twice; 0 for none
  */
final case class LargeStream(
    seed: Long,
    messages: Int,
    keys: Int,
    skew: Int,
    span: Long,
    behind: Long,
    isShuffled: Boolean,
    steps: Int,
    delay: Long,
    duplicates: Int) {

  /** Returns the messages of each step, with the watermark after it. */
  def made(name: Option[String] = None): Seq[(Seq[Message], Long)] = {
    val random  = new Random(seed)
    val times   = Array.fill(messages)(Math.floorMod(random.nextLong(), span))
    def late    = if (isShuffled || random.nextInt(10) == 0) Math.floorMod(random.nextLong(), behind + 1) else 0L
    val arrived = times.map(time => (time + late, time)).sortBy(_._1).map(_._2)
    val all = arrived.indices.map { number =>
      val key = math.min(keys - 1, (math.pow(random.nextDouble(), skew.toDouble) * keys).toInt)
      Message(
        Whole(key.toLong),
        Some(arrived(number)),
        Whole(number.toLong),
        Some(number % 3),
        Some(number.toLong),
        stream = name)
    }
    val again = if (duplicates == 0) all
    else all.flatMap { message =>
      message +: Option.when(random.nextInt(duplicates) == 0)(all(random.nextInt(message.offset.get.toInt + 1))).toSeq
    }
    val cuts = Seq.fill(steps - 1)(random.nextInt(again.size + 1)).sorted
    (0 +: cuts).zip(cuts :+ again.size).scanLeft((Seq.empty[Message], Long.MinValue)) {
      case ((_, before), (from, to)) =>
        val step = again.slice(from, to)
        (step, step.flatMap(_.time).map(_ - delay).foldLeft(before)(math.max(_, _)))
    }.tail
  }
}

object LargeStream {

  /** Draws a stream of a given number of messages. */
  def apply(seed: Long, messages: Int): LargeStream = {
    val random            = new Random(seed)
    def one[T](of: T*): T = of(random.nextInt(of.size))
    val span              = one(100000L, 10000000L, 10000000000L)
    LargeStream(
      seed,
      messages,
      keys = one(1, 7, math.max(1, messages / 10)),
      skew = one(1, 1, 4),
      span,
      behind = one(0L, span / 20, span),
      isShuffled = random.nextBoolean(),
      steps = one(1, 3, 12),
      delay = one(0L, span / 50, span / 5),
      duplicates = one(0, 0, 5))
  }
}
