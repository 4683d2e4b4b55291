package windrow

import java.util.Locale
import scala.language.implicitConversions
import windrow.core.time.{Axis, Distance}

/** The kind of a join, which decides which rows it emits. */
sealed abstract class JoinKind(override val toString: String) {

  /** Whether rows contain only the first stream. */
  private[windrow] def isOfFirst: Boolean = this == JoinKind.Semi || this == JoinKind.Anti

  /** Returns the streams that rows contain. */
  private[windrow] def shown[T](streams: Seq[T]): Seq[T] = if (isOfFirst) streams.take(1) else streams
}

object JoinKind {
  case object Inner extends JoinKind("inner")
  case object Left  extends JoinKind("left")
  case object Right extends JoinKind("right")
  case object Full  extends JoinKind("full")
  case object Semi  extends JoinKind("semi")
  case object Anti  extends JoinKind("anti")

  val All: Seq[JoinKind] = Seq(Inner, Left, Right, Full, Semi, Anti)

  /** Reads the name of a kind, including Spark's names such as `left_outer` and `LEFT`; None if it is unknown. */
  private[windrow] def read(text: String): Option[JoinKind] = {
    val word = text.toLowerCase(Locale.ROOT).replace("_", "").replace(" ", "")
    if (word == "outer") Some(Full)
    else All.find { kind =>
      val outer = kind == Left || kind == Right || kind == Full
      word == kind.toString || (outer && word == s"${kind}outer") ||
      (kind.isOfFirst && word == s"left$kind")
    }
  }

  /** Reads the name of a kind: `how = "left_outer"`. */
  implicit def fromText(text: String): JoinKind =
    read(text).getOrElse(throw Words.unknown("how", text, All))
}

/** Allowed difference between the event time of another stream's message and that of the first stream's
  * (SEMANTICS R37).
  */
final case class JoinRange(low: TimeSpan, high: TimeSpan, isLowOpen: Boolean = false, isHighOpen: Boolean = false) {

  /** The least and the greatest allowed difference, in microseconds. */
  def least: Long    = low.micros + (if (isLowOpen) 1 else 0)
  def greatest: Long = high.micros - (if (isHighOpen) 1 else 0)

  override def toString: String = s"${if (isLowOpen) "(" else "["}'$low', '$high'${if (isHighOpen) ")" else "]"}"
}

/** The condition on the messages of a pair, in addition to equal fields. */
sealed trait Within

object Within {

  /** A range of event time relative to the first stream, the same for all other streams. */
  def apply(low: TimeSpan, high: TimeSpan): JoinWithin = new JoinWithin((names, bounds) =>
    Ranges(names.drop(1).map(_ -> JoinRange(low, high, bounds.startsWith("("), bounds.endsWith(")"))).toMap))

  /** The sides' own windows (SEMANTICS R36). */
  case object OwnWindows extends Within

  /** Every pair whose messages retention still keeps (SEMANTICS R34). */
  case object Everything extends Within

  /** The range of each stream relative to the first one, keyed by stream name. All streams except the first have one.
    */
  final case class Ranges(of: Map[String, JoinRange]) extends Within

  /** The row of the second stream that is nearest to a row of the first (SEMANTICS R115).
    *
    * @param tolerance
    *   how far apart the two rows can be; None only for backward
    */
  final case class AsOf(direction: AsofDirection, tolerance: Option[TimeSpan] = None) extends Within

  /** Windows that all streams share, either aligned windows or sessions with a gap. A pair is emitted once, however
    * many windows contain both of its messages; with sessions, when its messages first share one (SEMANTICS R39).
    */
  final case class SameWindow(window: WindowKind) extends Within {

    /** The shared windows, or the problem if streams cannot share such windows. */
    private[windrow] def shared: Either[SpecProblem, SharedWindows] = window.family match {
      case aligned: WindowFamily.Aligned    => Right(SharedWindows.Aligned(aligned))
      case WindowFamily.Sessions(Some(gap)) => Right(SharedWindows.Sessions(gap))
      case WindowFamily.SingleWindow | _: WindowFamily.GapFamily | _: WindowFamily.Inherited | _: WindowFamily.Run |
          _: WindowFamily.Numbered | _: WindowFamily.OffsetFamily | _: WindowFamily.Several =>
        Left(SpecProblem("WINDOW_NOT_SUPPORTED.SHARED", "window" -> window))
    }

    /** The shared windows of a checked join. */
    private[windrow] def checked: SharedWindows =
      shared.fold(problem => throw SpecError("a join", Seq(problem)), identity)
  }
}

/** Windows that all streams of a join can share. */
private[windrow] sealed trait SharedWindows

private[windrow] object SharedWindows {
  final case class Aligned(windows: WindowFamily.Aligned) extends SharedWindows
  final case class Sessions(gap: TimeSpan)                extends SharedWindows
}

/** One input of a join.
  *
  * @param window
  *   its own window; None if it is unbounded
  */
final case class JoinStream(name: String, window: Option[WindowKind] = None) {

  /** The family of its window, or the problem if a side of a join cannot have such windows. */
  private[windrow] def side: Either[SpecProblem, WindowFamily.SideFamily] = window.fold(JoinStream.Unbounded) { kind =>
    kind.family match {
      case side: WindowFamily.SideFamily => Right(side)
      case _: WindowFamily.GapFamily     => Left(SpecProblem("SESSION_OF_ONE_SIDE", "name" -> name))
      case _: WindowFamily.Inherited | _: WindowFamily.DistinctSets | _: WindowFamily.MessageWindowsByCount |
          _: WindowFamily.Numbered | _: WindowFamily.OffsetSessions | _: WindowFamily.Several =>
        Left(SpecProblem("WINDOW_NOT_SUPPORTED.SIDE", "name" -> name, "window" -> kind))
    }
  }

  /** The family of the window of a checked join. */
  private[windrow] def checkedSide: WindowFamily.SideFamily =
    side.fold(problem => throw SpecError("a join", Seq(problem)), identity)

  /** Whether its window limits in time how long messages of other streams are stored. Windows on offsets do not end by
    * the watermark.
    */
  private[windrow] def isBounded: Boolean = side.forall {
    case _: WindowFamily.Aligned | _: WindowFamily.MessageWindowsByTime                                => true
    case WindowFamily.SingleWindow | WindowFamily.MessageWindowsFromFirst | _: WindowFamily.OffsetGrid => false
  }
}

private object JoinStream {
  val Unbounded: Either[SpecProblem, WindowFamily.SideFamily] = Right(WindowFamily.SingleWindow)
}

/** The unchecked settings of a join. `check` converts them to a [[JoinSpec]] or returns all problems.
  *
  * @param streams
  *   two or more, in order
  * @param hasKeys
  *   whether the join has equality fields
  * @param early
  *   when rows are emitted: with [[EachMessage]] and [[EachBatch]] in the step of the later message, with
  *   [[EveryPeriod]] when the period ends; in an as-of join, also [[Never]]: once a row is certain
  * @param retention
  *   of the messages of each stream and key; implied by a range or windows
  * @param expect
  *   expected number of messages of other keys in a range; with small ones, all keys share one run of messages
  *   (SEMANTICS R33)
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

  /** Whether the join is a chain of joins, because it is an outer, semi, or anti join of more than two streams
    * (SEMANTICS R143).
    */
  private[windrow] def isChain: Boolean = how != JoinKind.Inner && streams.size > 2

  def check: Either[Seq[SpecProblem], JoinSpec] = {
    val found = JoinCheck(this)
    Either.cond(found.isEmpty, new JoinSpec(this), found)
  }

  /** @throws UnboundedJoinError
    *   if that is the only problem
    */
  def checked: JoinSpec = check.fold(
    {
      case Seq(only) if only.code == "UNBOUNDED_JOIN" =>
        throw new UnboundedJoinError(only.toString)
      case found => throw SpecError("a join", found)
    },
    identity)
}

/** A join that would keep its messages forever. */
final class UnboundedJoinError(message: String) extends IllegalArgumentException(message)

/** A checked description of a join; an instance always is valid. */
final class JoinSpec private[windrow] (val draft: JoinDraft) extends Checked {
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

  private[windrow] def isChain: Boolean = draft.isChain

  private[windrow] def withoutLateness: JoinSpec = new JoinSpec(draft.copy(lateness = Some(TimeSpan.Zero)))
}
