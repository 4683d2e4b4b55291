package windrow.testkit

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ObjectNode
import scala.util.Random
import windrow.replay._

/** Random cases of policy windows: every pair of eviction and trigger, limits of age, keys and messages, values that
  * jump, duplicates, markers, steps without messages, and processing times on the edges of periods. The same seed gives
  * the same case. A case expects no results.
  */
object RandomPolicyCase {
  private val mapper = new ObjectMapper()

  /** @param scale
    *   as in [[RandomCase]]
    */
  def apply(seed: Long, scale: Int = 1): TranscriptCase = {
    val random  = new Random(seed)
    val written = spec(random)
    // In a query, the mark of a step is a message for each key. It is in no window, but it counts for the limits.
    val hasMarks = !written.path("window").has("limit")
    TranscriptCase(
      id = s"random-policy-$seed",
      source = Some("windrow.testkit.RandomPolicyCase"),
      timeUnit = TimeUnit.Micros,
      specJson = written,
      steps = new RandomPolicySteps(random, scale, hasMarks).result(),
      atEnd = Option.when(random.nextInt(3) > 0)(AtEnd(isFinal = true)))
  }

  private def spec(random: Random): ObjectNode = {
    val json   = mapper.createObjectNode().put("operator", "aggregate")
    val window = json.putObject("window").put("kind", "policy")
    if (random.nextInt(3) > 0) {
      window.putObject("eviction").set[ObjectNode]("sliding", by(random))
      window.set[ObjectNode]("trigger", by(random))
    } else {
      val tumbling = if (random.nextInt(4) == 0) mapper.createObjectNode().put("punctuation", true) else by(random)
      window.putObject("eviction").set[ObjectNode]("tumbling", tumbling)
    }
    val limits =
      Seq(
        "idle"     -> (1 + random.nextInt(40)),
        "max_keys" -> (1 + random.nextInt(4)),
        "max_rows" -> (1 + random.nextInt(12)))
        .filter(_ => random.nextInt(6) == 0)
    if (limits.nonEmpty) {
      val limit = window.putObject("limit")
      limits.foreach { case (name, most) => limit.put(name, most) }
    }
    json.putObject("aggregates").put("all", "collect").put("n", "count").put("total", "sum")
    json
  }

  private def by(random: Random): ObjectNode = random.nextInt(3) match {
    case 0 => mapper.createObjectNode().put("count", 1 + random.nextInt(5))
    case 1 => mapper.createObjectNode().put("time", 1 + random.nextInt(20))
    case _ =>
      val json = mapper.createObjectNode()
      json.putObject("delta").put("attribute", "value").put("by", random.nextInt(8))
      json
  }
}

private final class RandomPolicySteps(random: Random, scale: Int, hasMarks: Boolean) {
  private val keys =
    random.shuffle(
      Value.Null +: (1 until 4 * scale).map(number => Scalar(s"k$number"))).take(1 + random.nextInt(4 * scale))
  private var now  = random.nextInt(2) * 1700000000000000L + random.nextInt(50)
  private var sent = Vector.empty[Message]

  def result(): Seq[Step] = Seq.fill(1 + random.nextInt(14))(step()).flatten

  private def step(): Seq[Step] = {
    val passed = random.nextInt(4) match {
      case 0 => 0
      case 1 => random.nextInt(60)
      case _ => random.nextInt(8)
    }
    now += passed
    val messages = if (random.nextInt(4) == 0) Nil else Seq.fill(random.nextInt(6 * scale + 1))(message())
    val feed     = Step.Feed(messages, None, Some(now), punctuation = random.nextInt(6) == 0 && hasMarks)
    if (random.nextInt(8) == 0) Seq(feed, Step.Restart) else Seq(feed)
  }

  private def message(): Message =
    if (sent.nonEmpty && random.nextInt(12) == 0) sent(random.nextInt(sent.size))
    else {
      sent :+= Message(
        keys(random.nextInt(keys.size)),
        Some(now),
        Scalar(random.nextInt(16) - 5L),
        Some(random.nextInt(2)),
        Some(sent.size.toLong),
        marker = random.nextInt(8) == 0)
      sent.last
    }
}
