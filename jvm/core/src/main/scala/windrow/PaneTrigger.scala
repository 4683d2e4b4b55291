package windrow

import java.util.Locale
import scala.language.implicitConversions

/** When a window fires beside its completion: early, while it is incomplete, or late (SEMANTICS E). */
sealed trait PaneTrigger {
  def problems: Seq[SpecProblem]
}

object PaneTrigger {
  private val SomeMessages = """(\d+) messages?""".r

  /** What SQL says as text: `never`, `each_message`, `each_batch`, `1000 messages`, or a period; None: it is none of these. */
  private[windrow] def read(text: String): Option[PaneTrigger] = text.toLowerCase(Locale.ROOT) match {
    case "never"             => Some(Never)
    case "each_message"      => Some(EachMessage)
    case "each_batch"        => Some(EachBatch)
    case SomeMessages(count) => count.toLongOption.map(ofMessages)
    case _                   => TimeSpan.parse(text).toOption.map(EveryPeriod(_))
  }

  private[windrow] def ofMessages(count: Long): PaneTrigger = if (count == 1) EachMessage else Every(count)

  /** `trigger(early = "5 seconds")`. */
  implicit def fromText(text: String): PaneTrigger = read(text).getOrElse(throw SpecError(
    "trigger(...)",
    Seq(SpecProblem("TRIGGER_UNKNOWN.TEXT", "name" -> "one", "value" -> s"'$text'"))))
}

/** Not at all; late: only once more, when the lateness ends and something is unsent (SEMANTICS R80). */
case object Never extends PaneTrigger {
  def problems: Seq[SpecProblem] = Nil
  override def toString: String  = "Never()"
}

/** One pane for every accepted message and window, in order of application. */
case object EachMessage extends PaneTrigger {
  def problems: Seq[SpecProblem] = Nil
  override def toString: String  = "EachMessage()"
}

/** At most one pane for each window and step. */
case object EachBatch extends PaneTrigger {
  def problems: Seq[SpecProblem] = Nil
  override def toString: String  = "EachBatch()"
}

/** One pane after every `messages` unsent messages of a window. */
final case class Every(messages: Long) extends PaneTrigger {
  def problems: Seq[SpecProblem] = Option.when(messages < 1)(
    SpecProblem("NOT_POSITIVE.COUNT", "name" -> "messages", "value" -> messages)).toSeq
  override def toString: String = s"Every(messages=$messages)"
}

object Every {

  /** `Every("10 seconds")`: see [[EveryPeriod]]. */
  def apply(period: TimeSpan): EveryPeriod = EveryPeriod(period)
}

/** One pane in the first step whose processing time has reached the next multiple of `period` since the epoch after the
  * first unsent message (SEMANTICS R14).
  */
final case class EveryPeriod(period: TimeSpan) extends PaneTrigger {
  def problems: Seq[SpecProblem] = WindowKind.positive("period", period)
  override def toString: String  = s"Every('$period')"
}

/** Whenever one of these says so. */
final case class AnyOf(triggers: Seq[PaneTrigger]) extends PaneTrigger {
  def problems: Seq[SpecProblem] = triggers.flatMap(_.problems) ++ Option.when(triggers.isEmpty)(
    SpecProblem("TRIGGERS_MISSING"))
  override def toString: String = triggers.mkString("AnyOf(", ", ", ")")
}
