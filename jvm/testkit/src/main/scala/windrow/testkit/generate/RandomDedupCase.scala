package windrow.testkit

import com.fasterxml.jackson.databind.ObjectMapper
import scala.util.Random
import windrow._
import windrow.replay._

/** Random cases of deduplications. They have few keys, and times around the ends of `within` and of the lateness of
  * earlier messages. The same seed gives the same case. A case expects no results.
  */
object RandomDedupCase {
  private val mapper = new ObjectMapper()

  /** @param scale
    *   as in [[RandomCase]]
    */
  def apply(seed: Long, scale: Int = 1): TranscriptCase = {
    val random   = new Random(seed)
    val within   = if (random.nextInt(6) == 0) 0L else random.nextInt(15).toLong
    val lateness = if (random.nextInt(3) == 0) 0L else random.nextInt(30).toLong
    val json     = mapper.createObjectNode().put("operator", "dedup").put("within", within).put("lateness", lateness)
    val future   = Option.when(random.nextInt(8) == 0)(20L + random.nextInt(40))
    future.foreach(json.put("max_future", _))
    val isOrdered = random.nextBoolean()
    if (isOrdered) json.putArray("order_by").add("value")

    if (random.nextBoolean()) {
      json.put("keep", "last")
      if (random.nextBoolean()) json.put("accumulation", "accumulating_and_retracting")
    }

    // A message is on an edge of this session if it is just within, or just not, of another one.
    val likeness =
      WindowOperatorDraft(Session(TimeSpan(within + 1)), Some(TimeSpan(lateness)), accumulation = Some(Discarding))
    val offsets = !isOrdered || random.nextBoolean() // otherwise the order of equal times is that of the engine
    val steps   = new RandomSteps(random, likeness, offsets, scale).result()
    TranscriptCase(
      s"random-dedup-$seed",
      Some("windrow.testkit.RandomDedupCase"),
      TimeUnit.Micros,
      json,
      steps :+ Step.Ask(Query.Counters),
      Option.when(random.nextInt(3) > 0)(AtEnd(isFinal = true)))
  }
}
