package windrow.testkit

import com.fasterxml.jackson.databind.node.ObjectNode
import scala.util.Random
import windrow._

/** Random cases: disordered streams with ties, times on the edges of windows, gaps, duplicates, null keys and times,
  * watermarks that jump, and steps without messages. The same seed gives the same case; nothing is expected in it.
  */
object RandomCase {

  /** @param offsets
    *   whether messages carry (partition, offset), and some come twice; without them ties go by content, which an engine
    *   may compare in its own way: then only where the order does not show are engines equal
    * @param scale
    *   about how many times more keys and messages than a few, for state that does not fit into one piece
    */
  def apply(seed: Long, offsets: Boolean = true, scale: Int = 1): TranscriptCase = {
    val random     = new Random(seed)
    val draft      = RandomSpec(random)
    val aggregates = RandomSpec.aggregates(random)
    val steps      = new RandomSteps(random, draft, offsets, scale).result()
    TranscriptCase(
      id = s"random-$seed",
      source = Some("windrow.testkit.RandomCase"),
      timeUnit = TimeUnit.Micros,
      specJson = json(draft, aggregates),
      steps = steps :+ Step.Ask(Query.Counters),
      atEnd = Option.when(random.nextInt(3) > 0)(AtEnd(isFinal = true)))
  }

  private def json(draft: WindowOperatorDraft, aggregates: Seq[(String, String)]): ObjectNode = {
    val node  = SpecJson.write(draft)
    val named = node.putObject("aggregates")
    aggregates.foreach { case (name, function) => named.put(name, function) }
    node
  }
}

private[testkit] object RandomSpec {

  def apply(random: Random): WindowOperatorDraft = {
    def upTo(n: Int) = TimeSpan(1L + random.nextInt(n))
    def offset       = TimeSpan(if (random.nextBoolean()) 0 else random.nextInt(120) - 60L)
    val lateness     = if (random.nextInt(3) == 0) 0L else 1L + random.nextInt(40)
    WindowOperatorDraft(
      window = random.nextInt(6) match {
        case 0 => Tumbling(TimeSpan(1), offset)
        case 1 => Tumbling(upTo(30), offset)
        case 2 => Hopping(upTo(30), upTo(35), offset)
        case 3 => dense(random, 1L + random.nextInt(5), offset)
        case 4 => Session(upTo(15))
        case 5 => Session.OfMessage
      },
      lateness = Some(TimeSpan(lateness)),
      late = random.nextInt(4) match {
        case 0 => Never
        case 1 => EachMessage
        case 2 => EachStep
        case 3 => Every(2L + random.nextInt(3))
      },
      accumulation = Option.when(lateness > 0 || random.nextBoolean())(Accumulating),
      maxFuture = Option.when(random.nextInt(4) == 0)(TimeSpan(random.nextInt(40).toLong)))
  }

  /** Many windows for a message. */
  private def dense(random: Random, step: Long, offset: TimeSpan): Hopping =
    Hopping(TimeSpan(step * (4 + random.nextInt(12)) + random.nextInt(step.toInt)), TimeSpan(step), offset)

  /** All messages of a window in order, and a few more functions of them. */
  def aggregates(random: Random): Seq[(String, String)] =
    ("all" -> "collect") +: random.shuffle(ReferenceAggregates.Names).take(2).map(name => s"a_$name" -> name)
}
