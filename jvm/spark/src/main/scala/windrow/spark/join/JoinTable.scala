package windrow.spark.join

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types._
import windrow._
import windrow.spark.panes.SimplifiedExpression
import windrow.spark.version.TimePlusInterval

/** The parts of a Spark join of streams that describes a Windrow join. Spark's join itself never runs.
  *
  * @param keys
  *   equal expressions, one of each stream, with the name of the first one
  * @param ranges
  *   the event time of each other stream minus that of the first stream; empty if the condition does not limit it
  * @param times
  *   the expressions that the ranges compare, one of each stream
  * @param rest
  *   the remaining condition on a pair of rows
  */
private[spark] final case class JoinTable(
    sides: Seq[(String, LogicalPlan)],
    how: JoinKind,
    keys: Seq[(String, Seq[Expression])],
    ranges: Map[String, JoinRange],
    times: Option[Seq[Expression]],
    rest: Option[Expression])

private[spark] object JoinTable {

  /** Reads a single join: of two streams, or an inner join of several. */
  def of(table: LogicalPlan): Either[Seq[SpecProblem], JoinTable] = stripped(table) match {
    case join: Join => new Dissection(join).result
    case other      => notJoined(other)
  }

  /** Reads a chain of joins. The first table of each join except the first one stands for the rows of the joins before
    * it. Its expressions are over the columns of their streams.
    */
  def chained(table: LogicalPlan): Either[Seq[SpecProblem], Seq[JoinTable]] = stripped(table) match {
    case join: Join => chained(join)
    case other      => notJoined(other)
  }

  private def chained(join: Join): Either[Seq[SpecProblem], Seq[JoinTable]] = {
    val last = new Dissection(join)
    last.before.fold[Either[Seq[SpecProblem], Seq[JoinTable]]](last.result.map(Seq(_))) { earlier =>
      (chained(earlier), last.result) match {
        case (Right(before), Right(one)) => Right(before :+ one)
        case (before, one)               => Left(before.left.getOrElse(Nil) ++ one.left.getOrElse(Nil))
      }
    }
  }

  private def notJoined(plan: LogicalPlan) = refused("TABLE_NOT_JOINED", "plan" -> plan.nodeName)

  private def refused(condition: String, parameters: (String, Any)*) = Left(Seq(SpecProblem(condition, parameters: _*)))

  /** Removes nodes that only name the join, and the projection of `USING`, which only reorders columns. */
  private def stripped(plan: LogicalPlan): LogicalPlan = plan match {
    case SubqueryAlias(_, child) => stripped(child)
    case view: View              => stripped(view.child)
    case other                   => unprojected(other)
  }

  private def unprojected(plan: LogicalPlan): LogicalPlan = plan match {
    case Project(list, child) if list.map(_.exprId) == child.output.map(_.exprId) => stripped(child)
    case using: Project if using.getTagValue(Project.hiddenOutputTag).isDefined   => stripped(using.child)
    case other                                                                    => other
  }

  /** Returns the streams of `a JOIN b ON … JOIN c ON …` in order, and the conditions on them. */
  private def chain(join: Join): (Seq[LogicalPlan], Seq[Expression]) = unprojected(join.left) match {
    case inner: Join if isInner(inner) && isInner(join) =>
      val (sides, conditions) = chain(inner)
      (sides :+ join.right, conditions ++ join.condition)
    case _ => (Seq(join.left, join.right), join.condition.toSeq)
  }

  private def isInner(join: Join): Boolean = join.joinType == plans.Inner || join.joinType == plans.Cross

  /** A comparison of two event times: the time of `lesser` is at most `atMost` microseconds after that of `greater`. */
  private final case class End(lesser: Int, greater: Int, atMost: Long, times: Map[Int, Expression])

  private final class Dissection(join: Join) {
    private val (sides, conditions) = chain(join)
    private val conjuncts           = conditions.flatMap(split)
    private val found               = Seq.newBuilder[SpecProblem]

    /** The join whose rows are the first side, if the first side is not a stream. */
    def before: Option[Join] = Some(unprojected(sides.head)).collect { case earlier: Join => earlier }

    def result: Either[Seq[SpecProblem], JoinTable] = {
      val how   = kind
      val names = sides.map(nameOf)
      val equal = new EqualFields(sides.size, conjuncts.flatMap(equality))
      val ends  = conjuncts.flatMap(condition => if (equality(condition).isDefined) Nil else endsOf(condition))
      val rest = conjuncts.filterNot(condition =>
        equality(condition).fold(endsOf(condition).exists(isBesideFirst) && endsOf(condition).forall(isBesideFirst))(
          equal.isKey))
      val times = sides.indices.map(side => ends.flatMap(_.times.get(side)).distinctBy(_.canonicalized))
      equal.twice.foreach(name => refuse("NAME_TWICE.EQUALITY", "name" -> name))
      times.find(_.size > 1).foreach(several =>
        refuse(
          "RANGE_NOT_UNDERSTOOD.TIMES",
          "times" -> several.map(_.sql).mkString(" and ")))
      rest.foreach(found ++= JoinCondition.problems(_, how))
      val ranges = if (ends.isEmpty) Some(Map.empty[String, JoinRange]) else rangesOf(ends, names.map(_.getOrElse("")))
      if (ranges.isEmpty)
        refuse(
          "RANGE_NOT_UNDERSTOOD.OPEN")
      Either.cond(
        found.result().isEmpty,
        JoinTable(
          names.map(_.getOrElse("")).zip(sides),
          how,
          equal.keys.map { case (first, all) => (named(first), all) },
          ranges.getOrElse(Map.empty),
          Option.when(ends.nonEmpty)(times.flatMap(_.headOption)),
          rest.reduceOption(And)),
        found.result())
    }

    private def refuse(condition: String, parameters: (String, Any)*): Unit =
      found += SpecProblem(condition, parameters: _*)

    private def kind: JoinKind = join.joinType match {
      case plans.Inner | plans.Cross => JoinKind.Inner
      case plans.LeftOuter           => JoinKind.Left
      case plans.RightOuter          => JoinKind.Right
      case plans.FullOuter           => JoinKind.Full
      case plans.LeftSemi            => JoinKind.Semi
      case plans.LeftAnti            => JoinKind.Anti
      case _ =>
        found += SpecProblem.unknown("the join", join.joinType.sql, JoinKind.All)
        JoinKind.Inner
    }

    /** Returns the name of a side in the query. */
    private def nameOf(side: LogicalPlan): Option[String] = side match {
      case SubqueryAlias(alias, _) => Some(alias.name)
      case first if (first eq sides.head) && before.isDefined =>
        Some(JoinOutputs.name(before.toSeq.flatMap(streams).flatMap(nameOf)))
      case _: Join | Project(_, _: Join) =>
        refuse(
          "OUTER_JOIN_OF_MANY.CHAIN")
        None
      case Project(list, child) if list.map(_.exprId) == child.output.map(_.exprId) => nameOf(child)
      case other =>
        refuse("STREAM_NOT_NAMED.SIDE", "plan" -> other.nodeName)
        None
    }

    /** Returns the streams of a join of joins, in order. */
    private def streams(join: Join): Seq[LogicalPlan] =
      (unprojected(join.left) match {
        case earlier: Join => streams(earlier)
        case _             => Seq(join.left)
      }) :+ join.right

    private def split(condition: Expression): Seq[Expression] = condition match {
      case shared: With                    => split(SimplifiedExpression.spelledOut(shared))
      case And(left, right)                => split(left) ++ split(right)
      case replaceable: RuntimeReplaceable => split(replaceable.replacement)
      case Literal(true, BooleanType)      => Nil
      case other                           => Seq(other)
    }

    private def isOf(expression: Expression, side: LogicalPlan): Boolean =
      expression.references.nonEmpty && expression.references.subsetOf(side.outputSet)

    private def sideOf(expression: Expression): Option[Int] =
      Some(sides.indexWhere(isOf(expression, _))).filter(_ >= 0)

    private def equality(condition: Expression): Option[Equal] = condition match {
      case EqualTo(a, b) if timeOf(a).isEmpty || timeOf(b).isEmpty =>
        sideOf(a).zip(sideOf(b)).collect { case (one, other) if one != other => Equal(Seq(one -> a, other -> b)) }
      case _ => None
    }

    /** Returns the name of a field, also if Spark converted it to make it comparable. */
    private def named(expression: Expression): String = expression match {
      case attribute: Attribute    => attribute.name
      case Cast(field, _, _, _)    => named(field)
      case StringRPad(field, _, _) => named(field) // padding of CHAR
      case field: GetStructField   => field.extractFieldName
      case other                   => other.sql
    }

    /** Splits an expression into a time of one stream and a constant that is added to it, in microseconds. */
    private def timeOf(expression: Expression): Option[(Expression, Long)] = expression match {
      case replaceable: RuntimeReplaceable             => timeOf(replaceable.replacement)
      case Cast(time, to, _, _) if time.dataType == to => timeOf(time)
      case TimePlusInterval(time, by) => constant(by).flatMap(micros => timeOf(time).map(plus(_, micros)))
      case time if time.dataType == TimestampType || time.dataType == TimestampNTZType => Some((time, 0L))
      case _                                                                           => None
    }

    private def plus(time: (Expression, Long), micros: Long) = (time._1, time._2 + micros)

    /** Returns the length of a constant interval, or None if it contains months, whose length depends on the time zone.
      */
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

    /** Reads `lesser <= greater`. Each side is a time with an added constant. */
    private def end(lesser: Expression, greater: Expression, isOpen: Boolean): Seq[End] = (for {
      (less, a) <- timeOf(lesser)
      (more, b) <- timeOf(greater)
      low       <- sideOf(less)
      high      <- sideOf(more) if low != high
    } yield End(low, high, b - a - (if (isOpen) 1 else 0), Map(low -> less, high -> more))).toSeq

    /** Whether a comparison is fully expressed by the range of a stream. Others must be evaluated for each joined row.
      */
    private def isBesideFirst(end: End): Boolean = end.lesser == 0 || end.greater == 0

    /** Returns the narrowest ranges that follow from all comparisons, also by way of third streams. Returns None unless
      * every stream has both limits.
      */
    private def rangesOf(ends: Seq[End], names: Seq[String]): Option[Map[String, JoinRange]] = {
      val all    = sides.indices
      val atMost = scala.collection.mutable.Map.empty[(Int, Int), Long] // time of the first minus time of the second
      def restrict(one: Int, other: Int, limit: Long): Unit =
        atMost((one, other)) = math.min(limit, atMost.getOrElse((one, other), limit))
      ends.foreach(end => restrict(end.lesser, end.greater, end.atMost))
      for (through <- all; one <- all; other <- all if one != other)
        atMost.get((one, through)).zip(atMost.get((through, other))).foreach { case (a, b) =>
          restrict(one, other, a + b)
        }
      val ranges = all.tail.flatMap(side =>
        atMost.get((0, side)).zip(atMost.get((side, 0))).map { case (below, above) =>
          names(side) -> JoinRange(TimeSpan(-below), TimeSpan(above))
        })
      Option.when(ranges.size == all.size - 1)(ranges.toMap)
    }
  }

  /** An equality of fields of two sides. */
  private final case class Equal(of: Seq[(Int, Expression)])

  /** Groups the equalities of all sides. Equalities that share an expression belong to one group. */
  private final class EqualFields(sides: Int, equalities: Seq[Equal]) {
    private type Fields = Seq[(Int, Expression)]

    private val together: Seq[Fields] = equalities.foldLeft(Seq.empty[Fields]) { (known, next) =>
      val (touched, others) = known.partition(fields => fields.exists { case (_, a) => next.of.exists(isSame(a)) })
      others :+ (touched.flatten ++ next.of).distinctBy { case (side, of) => (side, of.canonicalized) }
    }

    private def isSame(a: Expression)(b: (Int, Expression)): Boolean = a.canonicalized == b._2.canonicalized

    private val whole: Seq[Fields] = together.filter(_.map(_._1).distinct.size == sides).map(_.sortBy(_._1))

    /** The first stream's expression, and the expressions of all sides. */
    def keys: Seq[(Expression, Seq[Expression])] =
      whole.map(fields => (fields.head._2, fields.distinctBy(_._1).map(_._2)))

    def isKey(equal: Equal): Boolean = whole.exists(fields => fields.exists { case (_, a) => isSame(a)(equal.of.head) })

    /** Groups in which a side has more than one field. */
    def twice: Seq[String] = whole.filter(_.size > sides).map(_.head._2.sql)
  }
}
