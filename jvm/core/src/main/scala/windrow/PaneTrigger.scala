package windrow

import java.util.Locale
import scala.language.implicitConversions

/** Decides when a window fires in addition to its completion: early, while it is incomplete, or late (SEMANTICS E). A
  * message is an input row.
  */
sealed trait PaneTrigger {
  def problems: Seq[SpecProblem]
}

object PaneTrigger {
  private val SomeMessages = """(\d+) messages?""".r

  /** Reads a trigger from text, as SQL writes it: `never`, `each_message`, `each_batch`, `1000 messages`, or a period.
    * None if the text is none of these.
    */
  private[windrow] def read(text: String): Option[PaneTrigger] = text.toLowerCase(Locale.ROOT) match {
    case "never"             => Some(Never)
    case "each_message"      => Some(EachMessage)
    case "each_batch"        => Some(EachBatch)
    case SomeMessages(count) => count.toLongOption.map(ofMessages)
    case _                   => TimeSpan.parse(text).toOption.map(EveryPeriod(_))
  }

  private[windrow] def ofMessages(count: Long): PaneTrigger = if (count == 1) EachMessage else Every(count)

  /** Reads a trigger from text: `trigger(early = "5 seconds")`. */
  implicit def fromText(text: String): PaneTrigger = read(text).getOrElse(throw SpecError(
    "trigger(...)",
    Seq(SpecProblem("TRIGGER_UNKNOWN.TEXT", "name" -> "one", "value" -> s"'$text'"))))
}

/** Never fires. As a late trigger: fires once more at the end of the lateness if messages are unsent (SEMANTICS R80).
  */
case object Never extends PaneTrigger {
  def problems: Seq[SpecProblem] = Nil
  override def toString: String  = "Never()"
}

/** One pane for every accepted message and window, in the order in which messages are applied. */
case object EachMessage extends PaneTrigger {
  def problems: Seq[SpecProblem] = Nil
  override def toString: String  = "EachMessage()"
}

/** At most one pane for each window and micro-batch. */
case object EachBatch extends PaneTrigger {
  def problems: Seq[SpecProblem] = Nil
  override def toString: String  = "EachBatch()"
}

/** One pane after every `messages` unsent messages of a window. */
final case class Every(messages: Long) extends PaneTrigger {
  def problems: Seq[SpecProblem] = NumberCheck.atLeastOne("messages", messages)
  override def toString: String  = s"Every(messages=$messages)"
}

object Every {

  /** `Every("10 seconds")`: see [[EveryPeriod]]. */
  def apply(period: TimeSpan): EveryPeriod = EveryPeriod(period)
}

/** One pane in the first micro-batch whose processing time has reached the end of the period. Periods end at multiples
  * of `period` since the epoch; the relevant one is the next after the first unsent message (SEMANTICS R14).
  */
final case class EveryPeriod(period: TimeSpan) extends PaneTrigger {
  def problems: Seq[SpecProblem] = NumberCheck.positive("period", period)
  override def toString: String  = s"Every('$period')"
}

/** Fires whenever one of these triggers fires. */
final case class AnyOf(triggers: Seq[PaneTrigger]) extends PaneTrigger {
  def problems: Seq[SpecProblem] = triggers.flatMap(_.problems) ++ Option.when(triggers.isEmpty)(
    SpecProblem("TRIGGERS_MISSING"))
  override def toString: String = triggers.mkString("AnyOf(", ", ", ")")
}
