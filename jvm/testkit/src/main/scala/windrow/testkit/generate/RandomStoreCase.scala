package windrow.testkit

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ObjectNode
import scala.util.Random
import windrow._
import windrow.replay._

/** Random cases of the operators that store messages, on the streams of [[RandomSteps]]. Every message has an offset.
  * The same seed gives the same case. A case expects no results.
  */
object RandomStoreCase {

  /** @param scale
    *   as in [[RandomCase]]
    */
  def fullState(seed: Long, scale: Int = 1): TranscriptCase = {
    val random = new Random(seed)
    val draft  = RandomStoreSpec.fullState(random)
    val json   = SpecJson.write(draft).put("operator", "full_state")
    json.remove("accumulation")                                              // full state has only one mode
    if (random.nextInt(5) == 0) Seq("early", "late").foreach(json.remove(_)) // the defaults
    val edges = if (draft.window == Global) draft.copy(window = Tumbling(TimeSpan(20))) else draft
    val steps = new RandomSteps(random, edges, offsets = true, scale).result()
    transcript(s"random-full-state-$seed", random, json, asking(random, steps))
  }

  def join(seed: Long, scale: Int = 1): TranscriptCase = {
    val random = new Random(seed)
    val spec   = new RandomJoinSpec(random)
    val steps  = new RandomSteps(random, spec.likeness, offsets = true, scale).result()
    val named = steps.map {
      case feed: Step.Feed => feed.copy(messages = feed.messages.map(inStream(_, spec.names)))
      case other           => other
    }
    transcript(s"random-join-$seed", random, spec.json, asking(random, named))
  }

  def coGroup(seed: Long, scale: Int = 1): TranscriptCase = {
    val plain = RandomCase(seed, scale = scale)
    val names = Seq("a", "b", "c").take(2 + new Random(seed).nextInt(2))
    val json  = plain.specJson.deepCopy.put("operator", "cogroup").remove("aggregates", "streams", names)
    plain.copy(
      id = s"random-cogroup-$seed",
      source = Some("windrow.testkit.RandomStoreCase"),
      specJson = json,
      steps = plain.steps.map {
        case feed: Step.Feed => feed.copy(messages = feed.messages.map(inStream(_, names)))
        case other           => other
      })
  }

  private implicit final class Streams(val json: ObjectNode) extends AnyVal {
    def remove(field: String, streams: String, names: Seq[String]): ObjectNode = {
      json.remove(field)
      val all = json.putArray(streams)
      names.foreach(name => all.addObject().put("name", name))
      json
    }
  }

  /** Assigns a message to a stream. A replay is assigned to the same stream as the original. */
  private def inStream(message: Message, names: Seq[String]): Message = message.copy(stream =
    message.identity.map { case (_, partition, offset) =>
      names(((offset * 5 + offset / 3 + partition) % names.size).toInt)
    })

  private def transcript(id: String, random: Random, json: ObjectNode, steps: Seq[Step]): TranscriptCase =
    TranscriptCase(
      id,
      Some("windrow.testkit.RandomStoreCase"),
      TimeUnit.Micros,
      json,
      steps :+ Step.Ask(Query.GetMessages(None, None, None, Query.ByTime)) :+ Step.Ask(Query.Counters),
      Option.when(random.nextInt(3) > 0)(AtEnd(isFinal = true)))

  /** Adds a query after some of the steps. */
  private def asking(random: Random, steps: Seq[Step]): Seq[Step] = {
    val messages = steps.collect { case feed: Step.Feed => feed.messages }.flatten
    def key      = Option.when(random.nextBoolean() && messages.nonEmpty)(messages(random.nextInt(messages.size)).key)
    def around(positions: Seq[Long]) =
      if (positions.isEmpty) 0L else positions(random.nextInt(positions.size)) + random.nextInt(5) - 2
    def range(positions: Seq[Long]) = {
      val start = around(positions)
      (start, start + random.nextInt(40))
    }
    def open(position: Long) = Option.when(random.nextInt(4) > 0)(position)
    def query: Query = random.nextInt(3) match {
      case 0 =>
        val (start, end) = range(messages.flatMap(_.time))
        Query.GetWindows(start, end, key)
      case 1 =>
        val (start, end) = range(messages.flatMap(_.time))
        Query.GetMessages(open(start), open(end), key, Query.ByTime)
      case 2 =>
        val (start, end) = range(messages.flatMap(_.offset))
        Query.GetMessages(open(start), open(end), key, Query.ByOffset)
    }
    steps.flatMap(step => if (random.nextInt(3) == 0) Seq(step, Step.Ask(query)) else Seq(step))
  }
}

private object RandomStoreSpec {

  private val families =
    Seq.fill(4)(RandomFamily.InQueries) ++ RandomFamily.Timed ++ RandomFamily.Tuples :+ RandomFamily.Everything

  def fullState(random: Random): WindowOperatorDraft = {
    val draft    = RandomSpec(random, families(random.nextInt(families.size)))
    val window   = draft.window
    val lateness = draft.lateness.getOrElse(TimeSpan.Zero)
    val size = window match {
      case fixed: FixedWindows         => fixed.size.micros
      case Session(Some(gap), _, _, _) => gap.micros
      case Sliding(size, _)            => size.micros
      case Over.Range(range)           => range.micros
      case _                           => 20L * RandomSpec.pace(window)
    }
    val early = trigger(random)
    val late  = if (random.nextBoolean()) EachMessage else trigger(random)
    WindowOperatorDraft(
      window,
      Some(lateness),
      early = if (window == Global && early == Never) EachBatch else early,
      onTime = random.nextInt(8) > 0 || (early == Never && late == Never),
      late = late,
      accumulation = Some(if (window.isInstanceOf[Over]) Accumulating else Discarding),
      retention = retention(random, size + lateness.micros, RandomSpec.pace(window)),
      maxFuture = draft.maxFuture,
      startOffsets = draft.startOffsets)
  }

  def trigger(random: Random): PaneTrigger = random.nextInt(6) match {
    case 0 => Never
    case 1 => EachMessage
    case 2 => EachBatch
    case 3 => Every(2L + random.nextInt(3))
    case 4 => EveryPeriod(TimeSpan(1L + random.nextInt(30)))
    case 5 => AnyOf(Seq(Every(2L + random.nextInt(3)), EveryPeriod(TimeSpan(1L + random.nextInt(30)))))
  }

  /** Draws a retention by time, by count, or both. */
  def retention(random: Random, least: Long, pace: Long = 1): Retention = {
    val time     = TimeSpan(least + (if (random.nextBoolean()) 0 else random.nextInt(60) * pace))
    val messages = 1L + random.nextInt(8)
    random.nextInt(3) match {
      case 0 => Retention(time = Some(time))
      case 1 => Retention(messages = Some(messages))
      case 2 => Retention(Some(time), Some(messages))
    }
  }
}

private final class RandomJoinSpec(random: Random) {
  private val mapper = new ObjectMapper()

  val names: Seq[String] = Seq("o", "s", "r").take(if (random.nextInt(5) == 0) 3 else 2)

  private val lateness = if (random.nextInt(3) == 0) 0L else random.nextInt(20).toLong
  private val isRanged = random.nextBoolean()

  private val isOfSessions = random.nextInt(3) == 0

  /** A window operator with such windows that messages drawn around its edges are also on the edges of this join. */
  val likeness: WindowOperatorDraft =
    WindowOperatorDraft(
      Tumbling(TimeSpan(2L + random.nextInt(15))),
      Some(TimeSpan(lateness)),
      accumulation = Some(Discarding))

  val json: ObjectNode = {
    val node = mapper.createObjectNode().put("operator", "join").put("time_unit", "us").put("lateness", lateness)
    node.put("on", random.nextInt(3) > 0)
    node.put("bounds", Seq("[]", "[)", "(]", "()")(random.nextInt(4)))
    if (names.size == 2) node.put("how", JoinKind.All(random.nextInt(JoinKind.All.size)).toString)
    if (random.nextInt(4) == 0) node.putObject("early").put("every_time", 1 + random.nextInt(40))
    val reach = if (isRanged) ranges(node) else if (isOfSessions) sessions(node) else windows(node)
    retention(node, reach)
    node
  }

  private def ranges(node: ObjectNode): Long = {
    val all = node.putArray("streams")
    names.foreach(name => all.addObject().put("name", name))
    val within = node.putObject("within")
    names.drop(1).map { name =>
      val low  = random.nextInt(30) - 20L
      val high = low + random.nextInt(20)
      within.putArray(name).add(low).add(high)
      math.abs(low) + math.abs(high)
    }.sum
  }

  private def sessions(node: ObjectNode): Long = {
    val all = node.putArray("streams")
    names.foreach(name => all.addObject().put("name", name))
    val gap = 1L + random.nextInt(12)
    node.putObject("within").put("kind", "session").put("gap", gap)
    gap
  }

  private def windows(node: ObjectNode): Long = {
    val all = node.putArray("streams")
    names.map { name =>
      val stream = all.addObject().put("name", name)
      window(stream)
    }.max
  }

  /** Draws the window of a stream.
    *
    * @return
    *   the length of the window
    */
  private def window(stream: ObjectNode): Long = {
    def upTo(most: Int) = 1L + random.nextInt(most)
    val size            = upTo(15)
    random.nextInt(6) match {
      case 0 | 1 => stream.putObject("window").put("kind", "tumbling").put("size", size).put("start_time", upTo(9))
      case 2     => stream.putObject("window").put("kind", "hopping").put("size", size).put("step", upTo(12))
      case 3     => stream.putObject("window").put("kind", "over").put("range", size)
      case 4     => stream.putObject("window").put("kind", "over")
      case 5     => stream
    }
    size
  }

  /** Draws the retention: always if a side is unbounded, otherwise sometimes. */
  private def retention(node: ObjectNode, reach: Long): Unit = {
    val isFree = !isRanged && !isOfSessions && {
      val streams = node.get("streams")
      (0 until streams.size).exists { i =>
        val window = streams.get(i).path("window")
        window.isMissingNode || (window.path("kind").asText == "over" && !window.has("range"))
      }
    }
    if (isFree || random.nextBoolean()) {
      val stated = RandomStoreSpec.retention(random, reach + lateness)
      val limits = node.putObject("retention")
      stated.time.foreach(span => limits.put("time", span.micros))
      stated.messages.foreach(limits.put("messages", _))
    } else if (isRanged && node.path("on").asBoolean) node.put("expect", "small"): Unit
  }
}
