package windrow.spark.stream

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types._
import org.apache.spark.sql.windrow.SparkInside
import windrow.WindowFamily._
import windrow._
import windrow.spark.functions.NullIfFails
import windrow.spark.input.{
  AggregateParts, CheckedTime, CoGroupMarks, ColumnNames, KeyCheck, Marks, MessageTime, RowValueColumn, SessionMarks,
  ValidTime, WatermarkCheck, WholeNumber
}
import windrow.spark.output.OperatorNames
import windrow.spark.panes.{ChainLag, Corrections, IncomingPanes, UpstreamPanes, UpstreamRows}
import windrow.spark.watermark.InputWatermark

/** The input, with the values that Windrow needs of each row.
  *
  * @param child
  *   the input, with its watermark
  * @param time
  *   the event time, a long in microseconds: null for a row without one, and 0 for all rows if windows need none
  * @param timeType
  *   the type of the event-time column
  * @param marks
  *   the columns that end sessions; see [[windrow.spark.input.SessionMarks]]
  * @param pane
  *   the columns of a pane of another operator; see [[IncomingPanes]]
  * @param now
  *   the processing time of a batch query, in microseconds
  * @param lag
  *   how far the rows may be below the watermark of the query
  */
private[spark] final case class Messages(
    child: LogicalPlan,
    time: Alias,
    timeType: DataType,
    value: Seq[Expression],
    marks: Seq[Alias],
    origin: Seq[Alias],
    pane: Seq[Alias],
    tooFar: Seq[Alias],
    now: Long,
    lag: ChainLag.Lag) {
  def columns: Seq[Alias] = time +: (value.collect { case column: Alias => column } ++ origin ++ pane ++ tooFar)

  /** The type in which panes show the source partition, large enough for every number. */
  def partitionType: DataType = origin.lift(1).map(_.child) match {
    case Some(Cast(child, _, _, _)) if Seq(ByteType, ShortType, IntegerType).contains(child.dataType) => IntegerType
    case _                                                                                            => LongType
  }
}

private[spark] object Messages {

  /** The time of every row if windows need none. */
  private val Timeless = Literal(0L, TimestampType)

  def of(
      session: SparkSession,
      operator: StreamOperator,
      options: StreamOptions,
      parts: AggregateParts): Either[Seq[SpecProblem], Messages] = new Builder(session, operator, options, parts).result

  /** Returns a problem for each named column that does not exist. */
  def unknown(session: SparkSession, options: StreamOptions, parts: AggregateParts): Seq[SpecProblem] =
    (options.time.map("time" -> _) ++ options.gap.map("gap" -> _) ++ options.origin).toSeq.flatMap {
      case (what, name) => ColumnNames.column(session, parts.child, what, name).left.toOption
    }

  private final class Builder(
      session: SparkSession,
      operator: StreamOperator,
      options: StreamOptions,
      parts: AggregateParts) {
    private val found     = Seq.newBuilder[SpecProblem]
    private val input     = parts.child
    private val streaming = input.isStreaming
    private val now       = System.currentTimeMillis * 1000

    private lazy val panes: Option[IncomingPanes] = operator.window.flatMap(panesOf)

    private def panesOf(windows: WindowKind): Option[IncomingPanes] = windows.family match {
      case Inherited(column) =>
        IncomingPanes.of(session, windows, column, input, parts.filtered()).fold(
          problems => {
            found ++= problems
            None
          },
          Some(_))
      case _: Aligned | SingleWindow | _: GapFamily | _: Run | _: Numbered | _: OffsetFamily | _: Several => None
    }

    private lazy val before = UpstreamPanes.of(input, parts.read)

    private def refuse(condition: String, parameters: (String, Any)*): Option[Nothing] = {
      found += SpecProblem(condition, parameters: _*)
      None
    }

    def result: Either[Seq[SpecProblem], Messages] = {
      val stated = eventTime
      checkWatermark(stated)
      stated.foreach(checkLag)
      checkCoGroup()
      checkChain()
      found ++= operator.corrections(before)
      found ++= operator.retracted(UpstreamRows.of(input, parts.read))
      found ++= operator.withoutOrder(
        part("offset").isDefined,
        options.time.isDefined || parts.markers.contains("time"))
      checkNames()
      found ++= Seq("partition", "offset").flatMap(name => part(name).flatMap(WholeNumber.problem(name, _)))
      found ++= KeyCheck.grouped(parts.keys.map(key => s"'${key.name}'" -> key.child))
      locally(marks)
      val messages = stated.map { expression =>
        val time   = NullIfFails.of(expression)
        val value  = rowValue(time)
        val micros = ValidTime.micros(time)
        val valid  = RowValueColumn.validTime(windowValue, micros, value)
        val tooFar = maxFuture.map(ValidTime.isBeyond(micros, microsNow, _))
        Messages(
          watermarked(time, micros, tooFar),
          Alias(checked(expression, valid, tooFar), "time")(),
          panes.fold(time)(_.start).dataType,
          value.toSeq.map {
            case ofAll: Literal => ofAll
            case own            => Alias(own, "value")()
          },
          marks,
          origin,
          panes.toSeq.flatMap(came => came.fields :+ came.content),
          tooFar.map(Alias(_, "too_far")()).toSeq,
          now,
          ChainLag.most(Seq(lag(time))))
      }
      Either.cond(found.result().isEmpty, messages.get, found.result().distinct)
    }

    /** Adds the check of [[CheckedTime]]. Policy windows reject no rows, so they need none. */
    private def checked(
        time: Expression,
        valid: Expression,
        tooFar: Option[Expression]): Expression =
      if (options.invalid == InvalidMessages.Reject || operator.windows.isEmpty) valid
      else CheckedTime.of(
        input,
        streamName,
        valid,
        tooFar,
        time +: statedValue.toSeq,
        origin.map(_.child))

    /** The name of the stream. In a co-group, the name of the row's own stream. */
    private def streamName: Expression =
      if (isCoGroup)
        Coalesce(parts.messageColumns.map(one => If(IsNull(one), Literal.create(null, StringType), Literal(one.name))))
      else Literal(options.name)

    private def column(name: String, what: String): Option[Expression] =
      ColumnNames.column(session, input, what, name).fold(
        problem => {
          found += problem
          None
        },
        Some(_))

    private def eventTime: Option[Expression] = parts.markers.get("time")
      .orElse(options.time.fold(unstatedTime)(column(_, "time")))
      .filter { time =>
        val wrong = MessageTime.problem(time, completes = hasWatermark).toSeq
        val problems =
          if (wrong.nonEmpty) wrong else MessageTime.withoutZone(time.sql, time.dataType, operator.window, maxFuture)
        found ++= problems
        problems.isEmpty
      }

    /** The default event time: for panes, the last instant in their window, or the start of the window for `Inherit`
      * windows.
      */
    private def unstatedTime: Option[Expression] =
      if (operator.window.exists(_.takesPanes)) panes.map(_.start)
      else if (needsTime) IncomingPanes.lastInstant(session, input).orElse(noTime)
      else Some(Messages.Timeless)

    private def noTime: Option[Expression] =
      refuse("TIME_NOT_STATED.COLUMN")

    /** Whether the operator needs event time. Windows on positions and `Global` windows do not, except for limits of
      * time.
      */
    private def needsTime: Boolean = operator.windows.exists(spec =>
      spec.window.bounds.areTimes || spec.retention.time.isDefined || spec.maxFuture.isDefined)

    private def maxFuture: Option[TimeSpan] = operator.windows.flatMap(_.maxFuture)

    private def checkCoGroup(): Unit = {
      if (options.behind.isDefined && CoGroupMarks.clock(input).isDefined)
        refuse("STATED_TWICE", "name" -> "processing_time_watermark", "mark" -> "watermark")
      Seq(
        "time"      -> options.time,
        "partition" -> options.origin.get("partition"),
        "offset"    -> options.origin.get("offset"))
        .collect {
          case (mark, Some(name)) if CoGroupMarks.of(input).contains(mark) =>
            refuse("STATED_TWICE", "name" -> name, "mark" -> mark)
        }
    }

    /** Whether the watermark follows processing time. */
    private val isClocked = options.behind.orElse(CoGroupMarks.clock(input)).isDefined

    private def hasWatermark: Boolean = streaming && (needsTime || options.watermark.isDefined)

    private def checkWatermark(time: Option[Expression]): Unit = if (hasWatermark) {
      val has = input.exists(_.isInstanceOf[EventTimeWatermark])
      val name = options.time.orElse(parts.markers.get("time").map(_.sql)).getOrElse("time")
        .replace(CoGroupMarks.Marker, "")
      if (isClocked && (options.watermark.isDefined || has))
        refuse(
          "WATERMARK_TWICE.CLOCK",
          "time" -> name)
      if (options.watermark.isEmpty && !isClocked && !has)
        refuse(
          "NO_WATERMARK.WINDOWS",
          "time" -> name)
      if (options.watermark.isDefined && has)
        refuse(
          "WATERMARK_TWICE.INPUT",
          "time" -> s"'$name'")
      if (options.watermark.exists(mark => mark.idle.isDefined && mark.partitions.isEmpty))
        refuse(
          "IDLE_OF_ONE_INPUT")
      if (options.watermark.isEmpty && has && maxFuture.isDefined)
        refuse(
          "GUARD_TOO_LATE")
      if (options.watermark.isEmpty && !isClocked && !isCoGroup) // a co-group has one per stream
        found ++= time.flatMap(WatermarkCheck.ofOther(_, input))
      if (!options.isAccelerated) found ++= WatermarkCheck.ofGreatest(session, WatermarkCheck.marks(input))
    }

    /** Returns the lag of the rows. Panes that are grouped again are limited by the end of their window, regardless of
      * their time.
      */
    private def lag(time: Expression): ChainLag.Lag = ChainLag.of(input, panes.fold(time)(_.end))

    private def checkLag(time: Expression): Unit =
      if (needsTime && operator.windows.exists(_.rejectsAtOnce) && lag(time).isEndless)
        found += ChainLag.unbounded(time)

    private def isCoGroup: Boolean = CoGroupMarks.of(input).contains("time")

    private def checkChain(): Unit = {
      if (streaming && WatermarkCheck.isStuck(input) && needsTime)
        refuse(
          "WATERMARK_NOT_PASSED_ON")
      found ++= OperatorNames.taken(options.name, Seq(input))
    }

    private def checkNames(): Unit = {
      val resolver = SparkInside.resolver(session)
      options.indexed.filterNot(name => input.output.exists(column => resolver(column.name, name))).foreach(name =>
        found += ColumnNames.missing("index(by=...)", name, input.output.map(_.name)))
      if (options.indexed.nonEmpty && operator.kept.isEmpty)
        refuse("STORE_WITHOUT_MESSAGES")
      val names = (parts.shown ++ (if (operator.kept.isDefined) Nil else parts.results)).map(_.name)
      found ++= Marks.reserved(parts.messageColumns.map(_.name))
      found ++= ColumnNames.taken(resolver, names, Seq("window", "pane") ++ operator.columns)
      found ++= ColumnNames.twice(resolver, "the panes", names, "Give one of them an alias.")
      found ++= ColumnNames.twice(
        resolver,
        "the rejected rows",
        parts.messageColumns.map(_.name),
        "Rename or drop one of them before wr.stream(...).")
    }

    private def microsNow: Expression = if (streaming) ValidTime.now else Literal(now)

    private val windowValue: RowValue = operator.window.fold[RowValue](RowValue.NoValue)(_.rowValue)

    private def rowValue(time: Expression): Option[Expression] =
      RowValueColumn.of(windowValue, time, statedValue, session.sessionState.conf.sessionLocalTimeZone).fold(
        problem => {
          found += problem
          None
        },
        identity)

    private lazy val marks: Seq[Alias] = operator.window.toSeq.flatMap(SessionMarks.of(session, _, input).fold(
      problems => {
        found ++= problems
        Nil
      },
      identity))

    private def statedValue: Option[Expression] =
      RowValueColumn.stated(windowValue, parts.markers, options.gap)(column)

    private def origin: Seq[Alias] = part("offset").toSeq.flatMap { offset =>
      Seq(
        "source"    -> Cast(part("source").getOrElse(Literal("")), StringType),
        "partition" -> WholeNumber(part("partition").getOrElse(Literal(0))),
        "offset"    -> WholeNumber(offset))
        .map { case (name, value) => Alias(value, name)() }
    }

    private def part(name: String): Option[Expression] =
      parts.markers.get(name).orElse(options.origin.get(name).flatMap(column(_, name)))

    /** Adds the watermark. The `maxFuture` guard precedes it, so that a time too far ahead does not advance it, and
      * neither does a missing one (SEMANTICS R73).
      */
    private def watermarked(time: Expression, micros: Expression, tooFar: Option[Expression]): LogicalPlan = {
      val handed = Corrections.handed(input, before)
      options.watermark match {
        case Some(watermark) if streaming && found.result().isEmpty =>
          InputWatermark(
            handed,
            ValidTime.watermarkTime((IsNull(micros) +: tooFar.toSeq).reduce(Or), time),
            watermark,
            part("watermark_by"))
        case _ => handed
      }
    }
  }
}
