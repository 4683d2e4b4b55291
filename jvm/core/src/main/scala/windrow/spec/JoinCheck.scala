package windrow

import windrow.SpecProblem.when
import windrow.core.time.Position

/** Finds all problems of a join. */
private[windrow] object JoinCheck {
  def apply(draft: JoinDraft): Seq[SpecProblem] =
    streams(draft) ++ lateness(draft) ++ future(draft) ++ windows(draft) ++ ranges(draft) ++ bounded(draft) ++
      triggers(draft) ++ asOf(draft) ++ small(draft) ++ draft.retention.problems ++ SpanCheck(draft)

  /** @throws SpecError
    *   if the join needs a query, because it retracts rows or is a chain of joins
    */
  def standalone(spec: JoinSpec): Unit = spec.within match {
    case _: Within.AsOf =>
      throw SpecError("a join", Seq(SpecProblem("VALUE_NOT_SUPPORTED.ASOF_ALONE")))
    case _ if spec.isChain =>
      throw SpecError(
        "a join",
        Seq(SpecProblem("OUTER_JOIN_OF_MANY.ALONE", "how" -> spec.how, "count" -> spec.names.size)))
    case Within.OwnWindows | Within.Everything | _: Within.Ranges | _: Within.SameWindow => ()
  }

  private def streams(draft: JoinDraft): Seq[SpecProblem] = {
    val names = draft.streams.map(_.name)
    val twice = names.diff(names.distinct).distinct
    val ranges = draft.within match {
      case Within.Ranges(of) => of.keySet
      case _                 => Set.empty[String]
    }
    when(names.size < 2, "STREAMS_TOO_FEW.JOIN", "count" -> names.size) ++
      when(twice.nonEmpty, "STREAM_TWICE.NAME", "name" -> twice.mkString(", ")) ++
      (ranges ++ draft.startOffsets.keySet).diff(names.toSet).toSeq.sorted.map(name =>
        SpecProblem("STREAM_UNKNOWN.JOIN", "name" -> name, "names" -> names.mkString(", "))) ++
      (if (draft.isChain) ofChain(draft) else Nil)
  }

  /** An outer join of more than two streams is a chain of joins, whose rows only ranges relate to the next stream
    * (SEMANTICS R144).
    */
  private[windrow] def ofChain(draft: JoinDraft): Seq[SpecProblem] = {
    def not(what: String) = SpecProblem("OUTER_JOIN_OF_MANY.OPTION", "what" -> what)
    draft.within match {
      case _: Within.Ranges | _: Within.AsOf if draft.streams.forall(_.window.isEmpty) =>
        Option.when(draft.retention.isStated)(not("a retention")).toSeq ++
          Option.when(draft.lateness.contains(TimeSpan.Endless))(not("a lateness without end"))
      case _ => Seq(not("a stream without a range"))
    }
  }

  private def lateness(draft: JoinDraft): Seq[SpecProblem] = draft.lateness match {
    case None => Seq(SpecProblem("LATENESS_NOT_STATED"))
    case Some(span) =>
      when(span.micros < 0, "LATENESS_NEGATIVE", "lateness" -> s"'$span'") ++
        when(span == TimeSpan.Endless && draft.retention.messages.isEmpty, "RETENTION_NOT_STATED.MESSAGES")
  }

  private def future(draft: JoinDraft): Seq[SpecProblem] =
    draft.maxFuture.filter(_.micros < 0).map(span => SpecProblem("MAX_FUTURE_NEGATIVE", "maxFuture" -> span)).toSeq

  private def windows(draft: JoinDraft): Seq[SpecProblem] =
    draft.streams.flatMap(stream => stream.window.toSeq.flatMap(_.problems) ++ stream.side.left.toSeq) ++
      (draft.within match {
        case same: Within.SameWindow => same.shared.fold(Seq(_), _ => same.window.problems)
        case Within.OwnWindows | Within.Everything | _: Within.Ranges | _: Within.AsOf => Nil
      })

  private def ranges(draft: JoinDraft): Seq[SpecProblem] = draft.within match {
    case Within.Ranges(of) =>
      draft.streams.drop(1).map(_.name).filterNot(of.contains).map(name =>
        SpecProblem("RANGE_NOT_STATED", "name" -> name)) ++
        draft.streams.map(_.name).take(1).diff(draft.streams.drop(1).map(_.name)).filter(of.contains).map(name =>
          SpecProblem("RANGE_OF_FIRST_STREAM", "name" -> name)) ++
        of.toSeq.sortBy(_._1).flatMap { case (name, range) =>
          when(range.low.micros > range.high.micros, "RANGE_REVERSED", "name" -> name, "range" -> range)
        } ++ tooShort(draft, JoinReach.longest(draft.streams.map(_.name), of))
    case Within.SameWindow(window) => tooShort(draft, lasts(window))
    case _ => tooShort(draft, draft.streams.flatMap(_.window).map(lasts).maxOption.getOrElse(0L))
  }

  private def lasts(window: WindowKind): Long = (window.family match {
    case sessions: WindowFamily.GapFamily => sessions.gap
    case _: WindowFamily.Aligned | WindowFamily.SingleWindow | _: WindowFamily.Inherited | _: WindowFamily.Run |
        _: WindowFamily.Numbered | _: WindowFamily.OffsetFamily | _: WindowFamily.Several =>
      window.extent
  }).fold(0L)(_.micros)

  /** The retention must keep every message as long as it can pair (SEMANTICS R8). */
  private def tooShort(draft: JoinDraft, reach: Long): Seq[SpecProblem] = (for {
    kept     <- draft.retention.time
    lateness <- draft.lateness if lateness != TimeSpan.Endless
    needed = TimeSpan(Position.plus(reach, lateness.micros)) if kept.micros < needed.micros
  } yield SpecProblem(
    "RETENTION_TOO_SHORT.JOIN",
    "time"   -> kept,
    "needed" -> needed)).toSeq

  /** Every side must be bounded by a range, by windows, or by the retention (SEMANTICS R34). */
  private def bounded(draft: JoinDraft): Seq[SpecProblem] = {
    val isKept = draft.retention.time.isDefined || draft.retention.messages.isDefined
    val free = draft.within match {
      case _: Within.Ranges | _: Within.SameWindow | _: Within.AsOf => Nil
      case Within.Everything                                        => draft.streams
      case Within.OwnWindows                                        => freeSides(draft.streams)
    }
    when(
      free.nonEmpty && !isKept,
      "UNBOUNDED_JOIN",
      "sides" -> free.map(stream => s"'${stream.name}'").mkString(" and "))
  }

  /** Sides without a bound. A window bounds the other side only if that has one, too. Windows on offsets do not end by
    * the watermark.
    */
  private def freeSides(streams: Seq[JoinStream]): Seq[JoinStream] = streams.filterNot(_.isBounded)

  private def small(draft: JoinDraft): Seq[SpecProblem] = when(
    draft.expect == ExpectedSize.Small && draft.retention.messages.isDefined,
    "RETENTION_OF_SMALL_RANGES")

  private def triggers(draft: JoinDraft): Seq[SpecProblem] = draft.early match {
    case EachMessage | EachBatch => Nil
    case Never | _: EveryPeriod if draft.within.isInstanceOf[Within.AsOf] =>
      when(draft.early != Never, "VALUE_NOT_SUPPORTED.ASOF", "name" -> "early", "value" -> draft.early)
    case period: EveryPeriod => period.problems
    case other =>
      Seq(SpecProblem("TRIGGER_NOT_SUPPORTED", "early" -> other))
  }

  /** The kinds of an as-of join. */
  private val OfAsOf = Seq(JoinKind.Inner, JoinKind.Left)

  /** The state of an as-of join is limited by lateness and tolerance (SEMANTICS R117). */
  private def asOf(draft: JoinDraft): Seq[SpecProblem] = draft.within match {
    case Within.AsOf(direction, tolerance) =>
      def not(name: String, value: Any) = SpecProblem("VALUE_NOT_SUPPORTED.ASOF", "name" -> name, "value" -> value)
      when(
        tolerance.isEmpty && direction != AsofDirection.Backward,
        "TOLERANCE_NOT_STATED",
        "direction" -> direction) ++
        tolerance.toSeq.flatMap(NumberCheck.notNegative("tolerance", _)) ++
        when(draft.streams.size > 2, "ASOF_OF_MANY", "count" -> draft.streams.size) ++
        Option.unless(OfAsOf.contains(draft.how))(SpecProblem.unknown("how", draft.how, OfAsOf)) ++
        draft.streams.flatMap(one => one.window.map(not(s"the window of '${one.name}'", _))) ++
        Option.when(draft.retention.isStated)(not("retention", draft.retention.inWords)) ++
        Option.when(draft.lateness.contains(TimeSpan.Endless))(not("lateness", "without end"))
    case Within.OwnWindows | Within.Everything | _: Within.Ranges | _: Within.SameWindow => Nil
  }
}

/** Computes how far apart the messages of a pair can be, from the sums of ranges in microseconds. */
private[windrow] object JoinReach {

  /** How long after a message of one stream the last message can be that affects a row with it.
    *
    * @param names
    *   names of all streams, starting with the first stream
    */
  def of(name: String, names: Seq[String], ranges: Map[String, JoinRange]): Long = {
    val after = ranges.filterNot(_._1 == name).values.map(_.greatest)
    if (name == names.head) after.max
    else {
      val first = -ranges(name).least
      (after.map(first + _) ++ Seq(first)).max
    }
  }

  /** The greatest reach of all streams; 0 if the streams have another problem. */
  def longest(names: Seq[String], ranges: Map[String, JoinRange]): Long = {
    val others = names.drop(1)
    if (others.nonEmpty && names.distinct == names && others.forall(ranges.contains))
      names.map(of(_, names, ranges)).max.max(0L)
    else 0L
  }
}
