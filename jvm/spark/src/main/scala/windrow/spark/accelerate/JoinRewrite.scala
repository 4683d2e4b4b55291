package windrow.spark.accelerate

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.Inner
import org.apache.spark.sql.catalyst.plans.logical.{Filter, Join, LogicalPlan, Project, SubqueryAlias}
import org.apache.spark.sql.types.DayTimeIntervalType
import org.apache.spark.sql.windrow.SparkInside
import org.apache.spark.unsafe.types.CalendarInterval
import windrow._
import windrow.spark.input.StreamTable
import windrow.spark.join.{JoinOptions, JoinPlan, JoinTable}
import windrow.spark.output.OutputKind

/** Plans an inner join of two streams as an operator of Windrow. The new plan has the columns of the old one.
  *
  * @param table
  *   the join as Windrow understands it, with unique names of columns
  */
private final class JoinRewrite(session: SparkSession, join: Join, table: JoinTable) {

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
    val options = JoinOptions(spec, keys, OutputKind.Rows, InvalidMessages.Reject, isAccelerated = true)
    val rows    = SparkInside.plan(SparkInside.frame(session, JoinPlan(session, options, inputs, table.rest)))
    val sides   = rows.output.slice(keys.size, keys.size + 2)
    val values = Seq(join.left, join.right).zip(sides).flatMap { case (side, row) =>
      side.output.indices.map(GetStructField(row, _))
    }
    val columns = join.output.zip(values).map { case (old, value) => Columns.like(old, value) }
    SparkInside.plan(SparkInside.frame(session, Project(columns, rows)))
  }
}

private object JoinRewrite {

  /** Returns the join, or the reason why Spark must run it.
    *
    * @param isAlone
    *   whether the query has no other operator with state
    */
  def of(session: SparkSession, join: Join, name: String, isAlone: Boolean): Either[SpecProblem, JoinRewrite] = for {
    _     <- Either.cond(join.joinType == Inner, (), SpecProblem("JOIN_KIND", "kind" -> join.joinType.sql))
    _     <- Either.cond(isAlone, (), SpecProblem("JOIN_NOT_ALONE"))
    _     <- days(session, join)
    table <- JoinTable.of(named(join, name)).left.map(_.head)
    _     <- Either.cond(table.ranges.nonEmpty, (), SpecProblem("JOIN_WITHOUT_TIME"))
  } yield new JoinRewrite(session, join, table)

  /** Returns the reason if a range has a day whose length depends on the time zone. */
  private def days(session: SparkSession, join: Join): Either[SpecProblem, Unit] = {
    val isFixed = SparkInside.zone(session).getRules.isFixedOffset
    def isLong(value: Expression) = value.foldable && (value.eval() match {
      case span: CalendarInterval                                           => span.days != 0
      case micros: Long if value.dataType.isInstanceOf[DayTimeIntervalType] => math.abs(micros) >= Day
      case _                                                                => false
    })
    Either.cond(isFixed || !join.condition.exists(_.exists(isLong)), (), SpecProblem("JOIN_RANGE_OF_DAYS"))
  }

  private val Day = 86400000000L

  /** Returns the rows of a side that can have a partner. Spark infers the same conditions from the join. */
  private def matching(join: Join, side: LogicalPlan): LogicalPlan = {
    val inferred = join.constraints.filter(one =>
      one.deterministic && one.references.nonEmpty && one.references.subsetOf(side.outputSet)) -- side.constraints
    inferred.reduceOption(And).fold(side)(Filter(_, side))
  }

  /** Returns a join of named streams whose columns have unique names. */
  private def named(join: Join, name: String): Join = {
    def side(of: LogicalPlan, as: String) = {
      val columns = Columns.unique(of.output)
      (SubqueryAlias(as, Project(columns, matching(join, of))), of.output.zip(columns.map(_.toAttribute)))
    }
    val (left, ofLeft)   = side(join.left, s"${name}_left")
    val (right, ofRight) = side(join.right, s"${name}_right")
    val renamed          = AttributeMap(ofLeft ++ ofRight)
    join.copy(
      left = left,
      right = right,
      condition = join.condition.map(_.transform { case column: Attribute => renamed.getOrElse(column, column) }))
  }
}
