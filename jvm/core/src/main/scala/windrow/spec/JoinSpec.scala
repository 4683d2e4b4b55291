package windrow

import java.util.Locale
import scala.language.implicitConversions
import windrow.core.time.Axis
import windrow.core.time.Distance

/** Which rows a join gives. */
sealed abstract class JoinKind(override val toString: String)

object JoinKind {
  case object Inner extends JoinKind("inner")
  case object Left  extends JoinKind("left")
  case object Right extends JoinKind("right")
  case object Full  extends JoinKind("full")
  case object Semi  extends JoinKind("semi")
  case object Anti  extends JoinKind("anti")

  val All: Seq[JoinKind] = Seq(Inner, Left, Right, Full, Semi, Anti)

  /** The names that Spark has for it, too: `left_outer`, `LEFT`; None: it is none of these. */
  private[windrow] def read(text: String): Option[JoinKind] = {
    val word = text.toLowerCase(Locale.ROOT).replace("_", "").replace(" ", "")
    if (word == "outer") Some(Full)
    else All.find { kind =>
      val outer = kind == Left || kind == Right || kind == Full
      word == kind.toString || (outer && word == s"${kind}outer") ||
      ((kind == Semi || kind == Anti) && word == s"left$kind")
    }
  }

  /** `how = "left_outer"`. */
  implicit def fromText(text: String): JoinKind =
    read(text).getOrElse(throw Words.unknown("VALUE_UNKNOWN", "how", text, All))
}

/** Event time of another stream's message less that of the first stream's (SEMANTICS R37). */
final case class JoinRange(low: TimeSpan, high: TimeSpan, isLowOpen: Boolean = false, isHighOpen: Boolean = false) {

  /** The least and the greatest difference that is still inside, in microseconds. */
  def least: Long    = low.micros + (if (isLowOpen) 1 else 0)
  def greatest: Long = high.micros - (if (isHighOpen) 1 else 0)

  override def toString: String = s"${if (isLowOpen) "(" else "["}'$low', '$high'${if (isHighOpen) ")" else "]"}"
}

/** What the messages of a pair must have in common beside equal fields. */
sealed trait Within

object Within {

  /** A range of event time beside the first stream, the same for all others. */
  def apply(low: TimeSpan, high: TimeSpan): JoinWithin = new JoinWithin((names, bounds) =>
    Ranges(names.drop(1).map(_ -> JoinRange(low, high, bounds.startsWith("("), bounds.endsWith(")"))).toMap))

  /** The sides' own windows (SEMANTICS R36). */
  case object OwnWindows extends Within

  /** Every pair that retention still holds (SEMANTICS R34). */
  case object Everything extends Within

  /** By name of the stream: where it may lie beside the first. Every other stream has one. */
  final case class Ranges(of: Map[String, JoinRange]) extends Within

  /** Windows that all streams share, aligned ones or sessions of a gap: a pair comes out once, however many of them hold
    * both its messages; of a session when its messages first share one (SEMANTICS R39).
    */
  final case class SameWindow(window: WindowKind) extends Within
}

/** One input of a join.
  *
  * @param window
  *   of its own; None: it is unbounded
  */
final case class JoinStream(name: String, window: Option[WindowKind] = None)

/** What a user has said of a join so far; `check` turns it into a [[JoinSpec]] or names all that is wrong.
  *
  * @param streams
  *   two or more, in order
  * @param hasKeys
  *   equal fields are asked for
  * @param early
  *   when rows come out: [[EachMessage]] and [[EachBatch]] in the step of the later message, [[EveryPeriod]] as the period
  *   ends
  * @param retention
  *   messages of each stream and key; a range or windows imply one
  * @param expect
  *   how many messages of other keys lie in a range; small ones share one run of messages (SEMANTICS R33)
  * @param startOffsets
  *   by stream and partition, for windows on offsets
  */
final case class JoinDraft(
    streams: Seq[JoinStream],
    hasKeys: Boolean,
    within: Within = Within.OwnWindows,
    how: JoinKind = JoinKind.Inner,
    lateness: Option[TimeSpan] = None,
    early: PaneTrigger = EachMessage,
    retention: Retention = Retention.NotStated,
    maxFuture: Option[TimeSpan] = None,
    expect: ExpectedSize = ExpectedSize.Large,
    startOffsets: Map[String, Map[Long, Long]] = Map.empty) {

  def check: Either[Seq[SpecProblem], JoinSpec] = {
    val found = JoinCheck(this)
    Either.cond(found.isEmpty, new JoinSpec(this), found)
  }

  /** @throws UnboundedJoinError
    *   if nothing else is wrong
    */
  def checked: JoinSpec = check.fold(
    {
      case Seq(only) if only.code == "UNBOUNDED_JOIN" =>
        throw new UnboundedJoinError(only.toString)
      case found => throw SpecError("a join", found)
    },
    identity)
}

/** A join that would keep its messages for ever. */
final class UnboundedJoinError(message: String) extends IllegalArgumentException(message)

/** A checked description of a join. It exists only without problems. */
final class JoinSpec private[windrow] (val draft: JoinDraft) extends Serializable {
  def streams: Seq[JoinStream]                             = draft.streams
  def names: Seq[String]                                   = draft.streams.map(_.name)
  def hasKeys: Boolean                                     = draft.hasKeys
  def within: Within                                       = draft.within
  def how: JoinKind                                        = draft.how
  def lateness: TimeSpan                                   = draft.lateness.getOrElse(TimeSpan.Zero)
  private[windrow] def latenessInTime: Distance[Axis.Time] = new Distance(lateness.micros)
  def early: PaneTrigger                                   = draft.early
  def retention: Retention                                 = draft.retention
  def maxFuture: Option[TimeSpan]                          = draft.maxFuture
  def expect: ExpectedSize                                 = draft.expect
  def startOffsets: Map[String, Map[Long, Long]]           = draft.startOffsets

  private[windrow] def withoutLateness: JoinSpec = new JoinSpec(draft.copy(lateness = Some(TimeSpan.Zero)))

  override def equals(other: Any): Boolean = other match {
    case that: JoinSpec => draft == that.draft
    case _              => false
  }
  override def hashCode: Int    = draft.hashCode
  override def toString: String = draft.toString
}
