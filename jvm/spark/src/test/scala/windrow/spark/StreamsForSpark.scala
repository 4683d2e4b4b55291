package windrow.spark

import com.fasterxml.jackson.databind.node.ArrayNode
import com.fasterxml.jackson.databind.node.ObjectNode
import scala.jdk.CollectionConverters._
import scala.util.Random
import windrow.testkit._

/** Random cases of several streams that Spark can be fed, as [[ForSpark]]'s of one. */
private object StreamsForSpark {
  private val Scale = 1000000L

  def join(seed: Long): TranscriptCase = {
    val plain = RandomStoreCase.join(seed)
    val json  = plain.specJson.deepCopy()
    scale(json, "lateness")
    scaleIn(json.path("retention"), "time")
    scaleIn(json.path("early"), "every_time")
    scaleIn(json.path("within"), "gap")
    json.path("streams").elements.asScala.foreach(stream =>
      Seq("size", "step", "offset", "range").foreach(scaleIn(stream.path("window"), _)))
    json.path("within").properties.asScala.foreach(side =>
      side.getValue match {
        case ends: ArrayNode => (0 until ends.size).foreach(i => ends.set(i, ends.get(i).asLong * Scale))
        case _               =>
      })
    restarted(plain.copy(specJson = json), seed)
  }

  /** Of the families of windows whose cases are only in need of a scale. */
  def coGroup(seed: Long): TranscriptCase = {
    val plain = RandomStoreCase.coGroup(seed)
    val json  = plain.specJson.deepCopy()
    json.remove("max_future")
    scale(json, "lateness")
    scaleIn(json.path("retention"), "time")
    Seq("size", "step", "offset", "range", "gap", "granularity").foreach(scaleIn(json.path("window"), _))
    Seq("early", "late").foreach { name =>
      val triggers = json.path(name)
      (if (triggers.isArray) triggers.elements.asScala.toSeq else Seq(triggers)).foreach(scaleIn(_, "every_time"))
    }
    restarted(plain.copy(specJson = json), seed)
  }

  private def scaleIn(node: com.fasterxml.jackson.databind.JsonNode, field: String): Unit = node match {
    case of: ObjectNode => scale(of, field)
    case _              =>
  }

  private def scale(node: ObjectNode, field: String): Unit =
    Option(node.get(field)).filter(_.isIntegralNumber).foreach(span => node.put(field, span.asLong * Scale))

  /** Without questions that a query is not asked, and with a restart. */
  private def restarted(plain: TranscriptCase, seed: Long): TranscriptCase = {
    val steps = ForSpark.later(plain.steps, Scale).filter {
      case Step.Ask(Query.Counters, _) => true
      case _: Step.Ask                 => false
      case _                           => true
    }
    plain.copy(steps = steps.patch(new Random(seed).nextInt(steps.size + 1), Seq(Step.Restart), 0))
  }
}
