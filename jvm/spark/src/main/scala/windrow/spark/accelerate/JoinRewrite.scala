package windrow.spark.accelerate

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.StreamingJoinHelper
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan, Project, SubqueryAlias}
import org.apache.spark.sql.catalyst.plans.{FullOuter, Inner, LeftOuter, LeftSemi, RightOuter}
import org.apache.spark.sql.catalyst.util.DateTimeConstants.MICROS_PER_DAY
import org.apache.spark.sql.types.{DayTimeIntervalType, StructType}
import org.apache.spark.sql.windrow.SparkInside
import org.apache.spark.unsafe.types.CalendarInterval
import scala.util.Try
import windrow._
import windrow.spark.input.{StreamTable, WatermarkCheck}
import windrow.spark.join.{JoinOptions, JoinPlan, JoinTable, ReplacedJoin}
import windrow.spark.output.OutputKind
import windrow.spark.version.SparkVersion

/** Plans a join of two streams as an operator of Windrow. The new plan has the columns of the old one.
  *
  * @param table
  *   the join as Windrow understands it, with unique names of columns
  */
private final class JoinRewrite(session: SparkSession, join: Join, table: JoinTable, replaced: ReplacedJoin) {

  /** @throws SpecError
    *   if Windrow cannot run the join
    */
  def plan: LogicalPlan = {
    val keys = table.keys.indices.map(i => s"key_$i")
    val spec = JoinDraft(
      table.sides.map { case (name, _) => JoinStream(name) },
      keys.nonEmpty,
      Within.Ranges(table.ranges),
      table.how,
      Some(TimeSpan.Zero),
      EachMessage).checked
    val inputs = table.sides.zipWithIndex.map { case ((name, side), i) =>
      StreamTable(name, side, side.output, table.times.get(i), table.keys.map(_._2(i)), Nil, None)
    }
    val options = JoinOptions(spec, keys, OutputKind.Rows, InvalidMessages.Reject, replaced = Some(replaced))
    val rows    = SparkInside.plan(SparkInside.frame(session, JoinPlan(session, options, inputs, table.rest)))
    val shown   = if (join.joinType == LeftSemi) Seq(join.left) else Seq(join.left, join.right)
    val values = shown.zip(rows.output.drop(keys.size)).flatMap { case (side, row) =>
      side.output.indices.map(GetStructField(row, _))
    }
    val columns = join.output.zip(values).map { case (old, value) => Columns.like(old, value) }
    SparkInside.plan(SparkInside.frame(session, Project(columns, rows)))
  }
}

private object JoinRewrite extends PredicateHelper {

  /** Returns the join, or the reason why Spark must run it.
    *
    * @param spark
    *   the join in Spark's optimized plan
    */
  def of(session: SparkSession, join: Join, spark: Join, name: String): Either[SpecProblem, JoinRewrite] = for {
    _ <- Either.cond(
      Kinds.contains(join.joinType),
      (),
      SpecProblem("OPERATOR_NOT_ACCELERATED", "operator" -> s"a ${join.joinType.sql} join"))
    _     <- SparkJoins.ofOneSide(spark).map(one => SpecProblem("JOIN_CONDITION", "condition" -> one.sql)).toLeft(())
    _     <- days(session, join)
    table <- JoinTable.of(named(join, name)).left.map(_.head)
    _     <- Either.cond(table.ranges.nonEmpty, (), SpecProblem("JOIN_WITHOUT_TIME"))
    _ <- table.times.toSeq.flatten.zip(table.sides.map(_._2)).flatMap((WatermarkCheck.ofReplaced _).tupled)
      .headOption.toLeft(())
    _    <- equalTimes(table, spark)
    made <- replaced(table, SparkJoins.waits(spark))
  } yield new JoinRewrite(session, join, table, made)

  /** Returns a reason if rows without a time can match, or Spark keeps the rows of each side differently long. */
  private def equalTimes(table: JoinTable, spark: Join): Either[SpecProblem, Unit] = {
    val isShifted = !table.ranges.values.forall(of => of.least == 0 && of.greatest == 0)
    val what =
      if (!StreamingJoinHelper.isWatermarkInJoinKeys(spark)) None
      else if (spark.joinType == FullOuter) Some("a FULL OUTER join by equal event times")
      else Option.when(isShifted)("a join by event times with a constant difference")
    what.map(join => SpecProblem("OPERATOR_NOT_ACCELERATED", "operator" -> join)).toLeft(())
  }

  private val Kinds = Seq(Inner, LeftOuter, RightOuter, FullOuter, LeftSemi)

  /** Returns when Spark's join emits its rows, or the reason if Windrow cannot emit unmatched rows at the same time. */
  private def replaced(table: JoinTable, waits: Seq[Option[Long]]): Either[SpecProblem, ReplacedJoin] = {
    val needed = table.how match {
      case JoinKind.Left  => waits.take(1)
      case JoinKind.Right => waits.drop(1)
      case JoinKind.Full  => waits
      case _              => Nil
    }
    // Since Spark 4.3, a left semi join holds back the watermark of later operators only for its own rows.
    val behind  = if (table.how == JoinKind.Semi && SparkVersion.isSince43) waits.take(1) else waits
    val names   = table.sides.map(_._1)
    val reaches = names.map(JoinReach.of(_, names, table.ranges))
    // Without any wait, Spark runs no micro-batch in which only the watermark advances.
    Either.cond(
      needed.forall(_.isDefined) && waits.exists(_.isDefined),
      ReplacedJoin(
        waits.zip(reaches).map { case (wait, reach) => wait.getOrElse(reach) }.toIndexedSeq,
        (behind.flatten :+ 0L).max),
      SpecProblem("JOIN_WITHOUT_TIME"))
  }

  /** Returns the reason if a range has a day whose length depends on the time zone. */
  private def days(session: SparkSession, join: Join): Either[SpecProblem, Unit] = {
    val isFixed = SparkInside.zone(session).getRules.isFixedOffset
    def isLong(value: Expression) = value.foldable && (Try(value.eval()).getOrElse(null) match {
      case span: CalendarInterval                                           => span.days != 0
      case micros: Long if value.dataType.isInstanceOf[DayTimeIntervalType] => math.abs(micros) >= MICROS_PER_DAY
      case _                                                                => false
    })
    Either.cond(isFixed || !join.condition.exists(_.exists(isLong)), (), SpecProblem("JOIN_RANGE_OF_DAYS"))
  }

  /** Returns a join of named streams whose columns have unique names. */
  private def named(join: Join, name: String): Join = {
    def side(of: LogicalPlan, as: String) = {
      val columns = Columns.unique(of.output)
      (SubqueryAlias(as, Project(columns, of)), of.output.zip(columns.map(_.toAttribute)))
    }
    val (left, ofLeft)   = side(join.left, s"${name}_left")
    val (right, ofRight) = side(join.right, s"${name}_right")
    val renamed          = AttributeMap(ofLeft ++ ofRight)
    join.copy(
      left = left,
      right = right,
      condition =
        join.condition.map(keyed(_).transform { case column: Attribute => renamed.getOrElse(column, column) }))
  }

  /** Writes equalities so that each becomes a part of the key, as in Spark, and that of event times also a range. The
    * event time of a window is its end.
    */
  private def keyed(condition: Expression): Expression = splitConjunctivePredicates(condition).flatMap {
    case same @ EqualTo(a: Attribute, b: Attribute) if Seq(a, b).forall(SparkJoins.hasWatermark) =>
      if (Seq(a, b).forall(_.dataType.isInstanceOf[StructType]))
        Seq(same, EqualTo(GetStructField(a, 1), GetStructField(b, 1)))
      else Seq(same, EqualTo(CreateStruct(Seq(a)), CreateStruct(Seq(b))))
    case EqualNullSafe(a, b) =>
      def value(of: Expression) = Coalesce(Seq(of, Literal.default(of.dataType)))
      Seq(EqualTo(value(a), value(b)), EqualTo(IsNull(a), IsNull(b)))
    case other => Seq(other)
  }.reduce(And)
}
