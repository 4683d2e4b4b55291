package windrow.testkit

import com.fasterxml.jackson.databind.node.{NullNode, ObjectNode, TextNode}
import scala.util.Random
import windrow.replay._

/** Specs that can share the state of a case's spec (SEMANTICS S2). */
private[testkit] object OtherSpec {

  /** Returns the case with a longer lateness or other late panes, as a later version of the spec could have. */
  def after(transcript: TranscriptCase, random: Random): Option[TranscriptCase] =
    changed(transcript) { json =>
      lateness(json).foreach(now => json.put("lateness", now + granularity(json) * random.nextInt(30)))
      if (random.nextBoolean() && json.has("late") && !json.get("late").toString.contains("every_time"))
        json.set[ObjectNode]("late", if (random.nextBoolean()) TextNode.valueOf("each_batch") else NullNode.instance)
    }

  /** Returns the case with a shorter lateness, as an earlier version of the spec could have. No message is judged by it
    * before the first watermark.
    */
  def before(transcript: TranscriptCase, random: Random): Option[TranscriptCase] =
    if (!Judged(kind(transcript.specJson)) || transcript.specJson.hasNonNull("close_on"))
      None
    else
      changed(transcript) { json =>
        val shorter = lateness(json).map(_ / granularity(json)).filter(_ > 0).map(random.nextLong(_))
        shorter.foreach(steps => json.put("lateness", steps * granularity(json)))
      }

  /** The kinds of windows whose lateness is judged by the watermark alone. */
  private val Judged = Set("tumbling", "hopping", "calendar", "session", "sliding", "over", "global", "")

  private def granularity(json: ObjectNode): Long = math.max(1L, json.path("window").path("granularity").asLong(1L))

  private def kind(json: ObjectNode): String = json.path("window").path("kind").asText

  /** The lateness if it is a time. A lateness in offsets is not changed. */
  private def lateness(json: ObjectNode): Option[Long] =
    Option(json.get("lateness")).filter(_.isIntegralNumber && kind(json) != "offset_range").map(_.asLong)

  private def changed(transcript: TranscriptCase)(change: ObjectNode => Unit): Option[TranscriptCase] = {
    val json = transcript.specJson.deepCopy()
    change(json)
    Option.when(json != transcript.specJson)(transcript.copy(specJson = json)).filter(_.operator.isRight)
  }
}
