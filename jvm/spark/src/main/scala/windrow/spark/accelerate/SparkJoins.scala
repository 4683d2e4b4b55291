package windrow.spark.accelerate

import org.apache.spark.sql.catalyst.analysis.StreamingJoinHelper
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, Expression, PredicateHelper}
import org.apache.spark.sql.catalyst.planning.ExtractEquiJoinKeys
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, EventTimeWatermark, Join, LogicalPlan}
import org.apache.spark.sql.catalyst.plans.{FullOuter, LeftOuter, LeftSemi, RightOuter}
import windrow.SpecProblem

/** The joins of two streams in a query, as Spark's optimizer leaves them.
  *
  * @param query
  *   the query that is rewritten
  */
private final class SparkJoins(query: LogicalPlan, optimized: => LogicalPlan) {
  private val written = SparkJoins.in(query)

  private lazy val planned = SparkJoins.in(optimized)

  /** The reason why Spark must run the query: the optimizer replaces its joins by other ones. */
  val replaced: Option[SpecProblem] = Option.when(
    written.nonEmpty && (written.map(_.joinType) != planned.map(_.joinType) ||
      !written.zip(planned).forall { case (join, spark) =>
        // Spark moves a left semi join below an aggregation in micro-batches that are small enough for a broadcast.
        reads(spark.left).subsetOf(reads(join.left)) && reads(spark.right).subsetOf(reads(join.right)) &&
        !(spark.joinType == LeftSemi && spark.left.exists(_.isInstanceOf[Aggregate]))
      }))(SpecProblem("JOIN_REPLACED"))

  private def reads(side: LogicalPlan) = AttributeSet(side.collectLeaves().flatMap(_.output))

  /** Returns Spark's plan of a join of the query, or the reason why the join must stay with Spark. */
  def of(join: Join): Either[SpecProblem, Join] = for {
    _ <- replaced.toLeft(())
    found = planned(written.indexWhere(_ eq join))
    _ <- SparkJoins.refused(found).map(what => SpecProblem("NOT_SUPPORTED_BY_SPARK", "what" -> what)).toLeft(())
  } yield found
}

private object SparkJoins extends PredicateHelper {

  /** Returns the joins of two streams, the one nearest to the sink first. */
  def in(plan: LogicalPlan): Seq[Join] = plan.collect { case StatefulNodes.StreamJoin(join) => join }

  private def refused(join: Join): Option[String] =
    if (ExtractEquiJoinKeys.unapply(join).isEmpty) Some("a join of two streams without an equality")
    else if (Seq(join.left, join.right).exists(times(_).map(_.exprId).distinct.size > 1))
      Some("a join whose input has several event-time columns")
    else None

  private def times(side: LogicalPlan): Seq[Attribute] = side.output.filter(hasWatermark)

  def hasWatermark(column: Attribute): Boolean = column.metadata.contains(EventTimeWatermark.delayKey)

  /** Returns a condition on only the side whose unmatched rows the join returns. Spark emits a row that does not fulfill
    * it at once, because it can never have a partner.
    */
  def ofOneSide(join: Join): Option[Expression] = {
    val sides = join.joinType match {
      case LeftOuter  => Seq(join.left)
      case RightOuter => Seq(join.right)
      case FullOuter  => Seq(join.left, join.right)
      case _          => Nil
    }
    join.condition.toSeq.flatMap(splitConjunctivePredicates).find(one =>
      sides.exists(side => one.references.subsetOf(side.outputSet)))
  }

  /** Watermarks in milliseconds for which the wait of rows is computed. */
  private val Watermarks = Seq(0L, 1L, 1700000000123L, 4000000000000L)

  /** Returns how long Spark's join keeps the rows of each side after their time, in microseconds. Spark's own function
    * computes the time up to which it removes rows for some watermarks.
    *
    * @return
    *   None for a side whose rows are kept forever, or not always equally long
    */
  def waits(join: Join): Seq[Option[Long]] =
    if (StreamingJoinHelper.isWatermarkInJoinKeys(join)) Seq(Some(0L), Some(0L))
    else Seq(wait(join, join.left, join.right), wait(join, join.right, join.left))

  private def wait(join: Join, side: LogicalPlan, other: LogicalPlan): Option[Long] = Watermarks.map(watermark =>
    StreamingJoinHelper.getStateValueWatermark(
      AttributeSet(side.output),
      AttributeSet(other.output),
      join.condition,
      Some(watermark)).map(watermark - _)).distinct match {
    case Seq(same) => same.map(_ * 1000)
    case _         => None
  }
}
