package windrow.spark.plan

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types._
import windrow._

/** A stream-stream join of Spark as a specification, taken apart; it never runs as such.
  *
  * @param keys
  *   pairs of equal expressions, each with its name: of the first stream and of the second
  * @param range
  *   event time of the second less that of the first; None: the condition says nothing of it
  * @param times
  *   the expressions that the range compares: of the first stream and of the second
  * @param rest
  *   what else the condition says of a pair
  */
private[plan] final case class JoinTable(
    sides: Seq[(String, LogicalPlan)],
    how: JoinKind,
    keys: Seq[(String, Expression, Expression)],
    range: Option[JoinRange],
    times: Option[(Expression, Expression)],
    rest: Option[Expression])

private[plan] object JoinTable {

  def of(table: LogicalPlan): Either[Seq[SpecProblem], JoinTable] = stripped(table) match {
    case join: Join => new Dissection(join).result
    case other => refused(
        "TABLE_NOT_JOINED",
        s"the table argument is a ${other.nodeName}; it must be SELECT * FROM a JOIN b ON …, with nothing else around it.")
  }

  private def refused(code: String, text: String) = Left(Seq(SpecProblem(code, text)))

  /** Without what only names the join; `USING` shows the columns in another order. */
  private def stripped(plan: LogicalPlan): LogicalPlan = plan match {
    case SubqueryAlias(_, child)                                                  => stripped(child)
    case View(_, _, child, _)                                                     => stripped(child)
    case Project(list, child) if list.map(_.exprId) == child.output.map(_.exprId) => stripped(child)
    case using: Project if using.getTagValue(Project.hiddenOutputTag).isDefined   => stripped(using.child)
    case other                                                                    => other
  }

  /** A comparison of two event times, as an end of `second - first`. */
  private sealed trait End { def times: (Expression, Expression) }
  private final case class Low(at: Long, isOpen: Boolean, times: (Expression, Expression))  extends End
  private final case class High(at: Long, isOpen: Boolean, times: (Expression, Expression)) extends End

  private final class Dissection(join: Join) {
    private val conjuncts = join.condition.toSeq.flatMap(split)
    private val found     = Seq.newBuilder[SpecProblem]

    def result: Either[Seq[SpecProblem], JoinTable] = {
      val how   = kind
      val names = Seq(join.left, join.right).map(nameOf)
      val keys  = conjuncts.flatMap(equality)
      val ends  = conjuncts.flatMap(condition => if (equality(condition).isDefined) Nil else endsOf(condition))
      val rest  = conjuncts.filter(condition => equality(condition).isEmpty && endsOf(condition).isEmpty)
      if (ends.map(end => (end.times._1.canonicalized, end.times._2.canonicalized)).distinct.size > 1)
        refuse(
          "RANGE_NOT_UNDERSTOOD",
          s"the condition compares ${ends.map(end => s"${end.times._2.sql} with ${end.times._1.sql}").distinct.mkString(" and ")}; " +
            "a range is of one event time of each stream.")
      if (rest.nonEmpty && how != JoinKind.Inner)
        refuse(
          "CONDITION_NOT_SUPPORTED",
          s"${rest.map(_.sql).mkString(" AND ")} is neither an equality of fields nor a range of event time; " +
            s"in such a join say it of the inputs, before the join.")
      rest.filterNot(_.deterministic).foreach(one =>
        refuse("CONDITION_NOT_SUPPORTED", s"${one.sql} gives another value each time."))
      val range = rangeOf(ends)
      if (ends.nonEmpty && range.isEmpty)
        refuse(
          "RANGE_NOT_UNDERSTOOD",
          "the condition bounds the event times on one side only; say for example " +
            "b.time BETWEEN a.time AND a.time + INTERVAL 5 MINUTES.")
      Either.cond(
        found.result().isEmpty,
        JoinTable(
          names.map(_.getOrElse("")).zip(Seq(join.left, join.right)),
          how,
          keys,
          range,
          ends.headOption.map(_.times),
          rest.reduceOption(And)),
        found.result())
    }

    private def refuse(code: String, text: String): Unit = found += SpecProblem(code, text)

    private def kind: JoinKind = join.joinType match {
      case plans.Inner | plans.Cross => JoinKind.Inner
      case plans.LeftOuter           => JoinKind.Left
      case plans.RightOuter          => JoinKind.Right
      case plans.FullOuter           => JoinKind.Full
      case plans.LeftSemi            => JoinKind.Semi
      case plans.LeftAnti            => JoinKind.Anti
      case _ =>
        refuse("JOIN_KIND_UNKNOWN", s"the join is ${join.joinType.sql}; allowed are ${JoinKind.All.mkString(", ")}.")
        JoinKind.Inner
    }

    /** What the side is called in the query. */
    private def nameOf(side: LogicalPlan): Option[String] = side match {
      case SubqueryAlias(alias, _) => Some(alias.name)
      case _: Join | Project(_, _: Join) =>
        refuse(
          "JOIN_OF_MANY",
          "the table argument joins more than two streams; say that by join(...) in Python or Scala.")
        None
      case Project(list, child) if list.map(_.exprId) == child.output.map(_.exprId) => nameOf(child)
      case other =>
        refuse("STREAM_NOT_NAMED", s"one side is a ${other.nodeName} without a name; say for example FROM orders AS o.")
        None
    }

    private def split(condition: Expression): Seq[Expression] = condition match {
      case shared: With                    => split(spelledOut(shared))
      case And(left, right)                => split(left) ++ split(right)
      case replaceable: RuntimeReplaceable => split(replaceable.replacement)
      case Literal(true, BooleanType)      => Nil
      case other                           => Seq(other)
    }

    /** With what stands for several places in each of them, as in `BETWEEN`. */
    private def spelledOut(shared: With): Expression = shared.child.transform {
      case reference: CommonExpressionRef if shared.defs.exists(_.id == reference.id) =>
        shared.defs.find(_.id == reference.id).get.child
    }

    private def isOf(expression: Expression, side: LogicalPlan): Boolean =
      expression.references.nonEmpty && expression.references.subsetOf(side.outputSet)

    /** Two expressions, that of the first stream in front. */
    private def inOrder(a: Expression, b: Expression): Option[(Expression, Expression)] =
      if (isOf(a, join.left) && isOf(b, join.right)) Some((a, b))
      else if (isOf(b, join.left) && isOf(a, join.right)) Some((b, a))
      else None

    private def equality(condition: Expression): Option[(String, Expression, Expression)] = condition match {
      case EqualTo(a, b) if timeOf(a).isEmpty || timeOf(b).isEmpty =>
        inOrder(a, b).map { case (first, second) => (named(first), first, second) }
      case _ => None
    }

    /** A field under its own name, whatever it was made comparable by. */
    private def named(expression: Expression): String = expression match {
      case attribute: Attribute                => attribute.name
      case Cast(attribute: Attribute, _, _, _) => attribute.name
      case field: GetStructField               => field.extractFieldName
      case other                               => other.sql
    }

    /** A time of one stream and what is added to it, in microseconds. */
    private def timeOf(expression: Expression): Option[(Expression, Long)] = expression match {
      case replaceable: RuntimeReplaceable             => timeOf(replaceable.replacement)
      case Cast(time, to, _, _) if time.dataType == to => timeOf(time)
      case TimestampAddInterval(time, by, _) => constant(by).flatMap(micros => timeOf(time).map(plus(_, micros)))
      case time if time.dataType == TimestampType || time.dataType == TimestampNTZType => Some((time, 0L))
      case _                                                                           => None
    }

    private def plus(time: (Expression, Long), micros: Long) = (time._1, time._2 + micros)

    /** A constant interval without months, whose length depends on no zone. */
    private def constant(interval: Expression): Option[Long] =
      if (!interval.foldable) None
      else (interval.dataType, interval.eval()) match {
        case (_: DayTimeIntervalType, micros: Long) => Some(micros)
        case (CalendarIntervalType, span: org.apache.spark.unsafe.types.CalendarInterval) if span.months == 0 =>
          Some(span.days * 86400000000L + span.microseconds)
        case _ => None
      }

    private def endsOf(condition: Expression): Seq[End] = condition match {
      case LessThanOrEqual(a, b)    => end(a, b, isOpen = false)
      case LessThan(a, b)           => end(a, b, isOpen = true)
      case GreaterThanOrEqual(a, b) => end(b, a, isOpen = false)
      case GreaterThan(a, b)        => end(b, a, isOpen = true)
      case EqualTo(a, b)            => end(a, b, isOpen = false) ++ end(b, a, isOpen = false)
      case _                        => Nil
    }

    /** `lesser <= greater`: with the second stream's time greater it is a low end of the difference, else a high one. */
    private def end(lesser: Expression, greater: Expression, isOpen: Boolean): Seq[End] = (for {
      (less, a) <- timeOf(lesser)
      (more, b) <- timeOf(greater)
    } yield
      if (isOf(less, join.left) && isOf(more, join.right)) Some(Low(a - b, isOpen, (less, more)))
      else if (isOf(less, join.right) && isOf(more, join.left)) Some(High(b - a, isOpen, (more, less)))
      else None).flatten.toSeq

    /** The narrowest of all that is said; None unless both ends are. */
    private def rangeOf(ends: Seq[End]): Option[JoinRange] = {
      val lows  = ends.collect { case low: Low => low }
      val highs = ends.collect { case high: High => high }
      Option.when(lows.nonEmpty && highs.nonEmpty) {
        val low  = lows.maxBy(end => (end.at, end.isOpen))
        val high = highs.minBy(end => (end.at, !end.isOpen))
        JoinRange(TimeSpan(low.at), TimeSpan(high.at), low.isOpen, high.isOpen)
      }
    }
  }
}
