package windrow.testkit

import com.fasterxml.jackson.databind.node.ObjectNode
import scala.util.Random
import windrow.replay._
import windrow.{SpecJson, WindowOperatorDraft}

/** Random cases: disordered streams with ties, times on the edges of windows, gaps, duplicates, null keys and times,
  * watermarks that jump, and steps without messages. The same seed gives the same case. A case expects no results.
  */
object RandomCase {

  /** @param family
    *   the family from which the windows are drawn
    * @param offsets
    *   whether messages carry (partition, offset), and some arrive twice. Without offsets, ties are broken by content,
    *   which each engine may compare in its own way, so engines agree only where the order does not show.
    * @param scale
    *   the approximate factor by which there are more keys and messages than a few, for state that does not fit into
    *   one piece
    * @param counters
    *   whether the case asks for the counters at its end. A core that counts past or future messages reads everything
    *   that a key has with each message, so such a case does not test the code that leaves state unread.
    */
  def apply(
      seed: Long,
      family: RandomFamily = RandomFamily.InQueries,
      offsets: Boolean = true,
      scale: Int = 1,
      counters: Boolean = true): TranscriptCase = {
    val random     = new Random(seed)
    val draft      = RandomSpec(random, family)
    val aggregates = RandomSpec.aggregates(random)
    val steps =
      if (family == RandomFamily.Inherited) UpstreamSteps(random, offsets)
      else new RandomSteps(random, draft, offsets || family.needsOffsets, scale).result()
    TranscriptCase(
      id = s"random-${family.name}-$seed",
      source = Some("windrow.testkit.RandomCase"),
      timeUnit = TimeUnit.Micros,
      specJson = json(draft, aggregates),
      steps = steps ++ Option.when(counters)(Step.Ask(Query.Counters)),
      atEnd = Option.when(random.nextInt(3) > 0)(AtEnd(isFinal = true)))
  }

  private[testkit] def json(draft: WindowOperatorDraft, aggregates: Seq[(String, String)]): ObjectNode = {
    val node  = SpecJson.write(draft)
    val named = node.putObject("aggregates")
    aggregates.foreach { case (name, function) => named.put(name, function) }
    node
  }
}
