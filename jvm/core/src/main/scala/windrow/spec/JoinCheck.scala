package windrow

import windrow.core.time.Position

/** Everything that is wrong with a join. */
private[windrow] object JoinCheck {
  val Unbounded = "UNBOUNDED_JOIN"

  def apply(draft: JoinDraft): Seq[SpecProblem] =
    streams(draft) ++ lateness(draft) ++ windows(draft) ++ ranges(draft) ++ bounded(draft) ++ triggers(draft) ++
      small(draft) ++ draft.retention.problems ++ SpanCheck(draft)

  private def refuse(when: Boolean, code: String, text: => String): Seq[SpecProblem] =
    Option.when(when)(SpecProblem(code, text)).toSeq

  private def streams(draft: JoinDraft): Seq[SpecProblem] = {
    val names = draft.streams.map(_.name)
    val twice = names.diff(names.distinct).distinct
    val ranges = draft.within match {
      case Within.Ranges(of) => of.keySet
      case _                 => Set.empty[String]
    }
    refuse(names.size < 2, "STREAMS_TOO_FEW", s"a join of ${names.size} streams; it needs two or more.") ++
      refuse(twice.nonEmpty, "STREAM_TWICE", s"the name ${twice.mkString(", ")} stands for more than one stream.") ++
      (ranges ++ draft.startOffsets.keySet).diff(names.toSet).toSeq.sorted.map(name =>
        SpecProblem("STREAM_UNKNOWN", s"'$name' is no stream of this join; they are ${names.mkString(", ")}.")) ++
      refuse(
        draft.how != JoinKind.Inner && names.size > 2,
        "OUTER_JOIN_OF_MANY",
        s"how='${draft.how}' is for two streams; with ${names.size} say how='inner'.")
  }

  private def lateness(draft: JoinDraft): Seq[SpecProblem] = draft.lateness match {
    case None => Seq(SpecProblem("LATENESS_NOT_STATED", "say lateness('0 seconds') or longer."))
    case Some(span) =>
      refuse(
        span.micros < 0,
        "LATENESS_NEGATIVE",
        s"lateness is '$span'; it must be '0 seconds' or longer.") ++
        refuse(
          span == TimeSpan.Endless && draft.retention.messages.isEmpty,
          "RETENTION_NOT_STATED",
          "lateness without end keeps every message: retain(messages=...).")
  }

  private def windows(draft: JoinDraft): Seq[SpecProblem] =
    draft.streams.flatMap(stream => stream.window.map(stream.name -> _)).flatMap { case (name, window) =>
      window.problems ++ (window match {
        case side if side.isSide => Nil
        case _: Session =>
          Seq(SpecProblem(
            "SESSION_OF_ONE_SIDE",
            s"'$name' has sessions of its own, so its pairs would depend on later messages; give the join a range."))
        case other =>
          Seq(SpecProblem(
            "WINDOW_NOT_SUPPORTED",
            s"'$name' has $other; a side of a join takes aligned windows, Over(range), Over(), Offsets and Global()."))
      })
    } ++ (draft.within match {
      case Within.SameWindow(window) if window.isShared => window.problems
      case Within.SameWindow(other) =>
        Seq(SpecProblem(
          "WINDOW_NOT_SUPPORTED",
          s"within=$other; it takes a range, aligned windows, Session(gap) or Global()."))
      case _ => Nil
    })

  private def ranges(draft: JoinDraft): Seq[SpecProblem] = draft.within match {
    case Within.Ranges(of) =>
      draft.streams.drop(1).map(_.name).filterNot(of.contains).map(name =>
        SpecProblem("RANGE_NOT_STATED", s"within says nothing of '$name'.")) ++
        of.toSeq.sortBy(_._1).flatMap { case (name, range) =>
          refuse(
            range.low.micros > range.high.micros,
            "RANGE_REVERSED",
            s"within of '$name' is $range; the first must not be above the second.")
        } ++ tooShort(draft, JoinReach.longest(draft.streams.map(_.name), of))
    case Within.SameWindow(window) => tooShort(draft, lasts(window))
    case _ => tooShort(draft, draft.streams.flatMap(_.window).map(lasts).maxOption.getOrElse(0L))
  }

  private def lasts(window: WindowKind): Long = window.extent.orElse(window.gapOfAll).fold(0L)(_.micros)

  /** What is stated must hold every message as long as it can pair (SEMANTICS R8). */
  private def tooShort(draft: JoinDraft, reach: Long): Seq[SpecProblem] = (for {
    kept     <- draft.retention.time
    lateness <- draft.lateness if lateness != TimeSpan.Endless
    needed = TimeSpan(Position.plus(reach, lateness.micros)) if kept.micros < needed.micros
  } yield SpecProblem(
    "RETENTION_TOO_SHORT",
    s"retain(time='$kept') is shorter than range or size + lateness ('$needed').")).toSeq

  /** Every side is bounded by a range, by windows, or by what is stated to be kept (SEMANTICS R34). */
  private def bounded(draft: JoinDraft): Seq[SpecProblem] = {
    val isKept = draft.retention.time.isDefined || draft.retention.messages.isDefined
    val free = draft.within match {
      case _: Within.Ranges | _: Within.SameWindow => Nil
      case Within.Everything                       => draft.streams
      case Within.OwnWindows                       => freeSides(draft.streams)
    }
    refuse(
      free.nonEmpty && !isKept,
      Unbounded,
      s"${free.map(stream => s"'${stream.name}'").mkString(" and ")} would be kept for ever. Bound the join: " +
        "within=('0 minutes', '5 minutes'), or a window on each, or retain(...) with within=Global().")
  }

  /** A window bounds the other side only if that has one too. Windows on offsets do not end by the watermark. */
  private def freeSides(streams: Seq[JoinStream]): Seq[JoinStream] = {
    val open = streams.filterNot(_.window.exists(_.boundsSide))
    if (open.isEmpty) Nil else open
  }

  private def small(draft: JoinDraft): Seq[SpecProblem] = refuse(
    draft.expect == ExpectedSize.Small && draft.retention.messages.isDefined,
    "RETENTION_OF_SMALL_RANGES",
    "expect='small' keeps the messages of all keys together, and so cannot count those of one: say retain(time=...).")

  private def triggers(draft: JoinDraft): Seq[SpecProblem] = draft.early match {
    case EachMessage | EachStep => Nil
    case period: EveryPeriod    => period.problems
    case other =>
      Seq(SpecProblem("TRIGGER_NOT_SUPPORTED", s"early=$other: rows come with each message or every period of time."))
  }
}

/** How far a pair can reach, as pure sums over ranges in microseconds. */
private[windrow] object JoinReach {

  /** How long after a message of one stream the last partner may lie that decides on a row with it.
    *
    * @param names
    *   of all streams, the first in front
    */
  def of(name: String, names: Seq[String], ranges: Map[String, JoinRange]): Long = {
    val after = ranges.filterNot(_._1 == name).values.map(_.greatest)
    if (name == names.head) after.max
    else {
      val first = -ranges(name).least
      (after.map(first + _) ++ Seq(first)).max
    }
  }

  def longest(names: Seq[String], ranges: Map[String, JoinRange]): Long =
    if (names.drop(1).forall(ranges.contains)) names.map(of(_, names, ranges)).max.max(0L) else 0L
}
