package windrow.spark.accelerate

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.windrow.CurrentTimes
import scala.util.control.{ControlThrowable, NonFatal}
import windrow.spark.input.WatermarkCheck
import windrow.spark.query.AcceleratedNames
import windrow.{SpecError, SpecProblem}

/** A query in which operators of Windrow have replaced those of Spark.
  *
  * @param plan
  *   the new plan, or the old one if no operator was replaced
  */
private final case class RewrittenQuery(plan: LogicalPlan, decisions: Acceleration) {
  def count: Int = decisions.operators.count(_.isAccelerated)
}

private object RewrittenQuery {

  /** Returns a query in which Spark runs all operators for the same reason. */
  def kept(query: LogicalPlan, why: SpecProblem): RewrittenQuery = RewrittenQuery(
    query,
    Acceleration(StatefulNodes.all(query).zipWithIndex.map { case (operator, number) =>
      OperatorAcceleration(AcceleratedNames.of(number), operator, Some(why))
    }))
}

/** Replaces the stateful operators of a query from the sink on, as long as Windrow can run them. An operator above one
  * that stays must stay, too, because the state of both would otherwise belong to different watermarks.
  *
  * @param settings
  *   the settings of the query
  * @param continued
  *   the operators to replace if the query continues a checkpoint of Windrow
  */
private final class Rewrite(
    session: SparkSession,
    mode: OutputMode,
    settings: AcceleratedSettings,
    continued: Option[StoredEngine.Windrow] = None) {
  import Rewrite._

  /** Returns the new query. If Spark moves filters before a watermark that Windrow's operators would hold back, they are
    * moved there before the operators are replaced. Joins, deduplications, and sessions always need it: joins store
    * fewer columns, deduplications send fewer, and Spark moves a condition on sessions before it merges them.
    */
  def apply(query: LogicalPlan): RewrittenQuery =
    try rewritten(query)
    catch { case NonFatal(unexpected) => RewrittenQuery.kept(query, failure(unexpected.toString)) }

  private def rewritten(query: LogicalPlan): RewrittenQuery = {
    lazy val optimized = CurrentTimes.optimized(session, query)
    def planned(from: LogicalPlan): (RewrittenQuery, Option[SpecProblem]) = {
      val joins = new SparkJoins(from, optimized)
      val made  = this.planned(from, joins, Map.empty)
      if (made.count == 0) made.copy(plan = query) -> None
      else
        made -> joins.replaced.orElse(Option.when(
          WatermarkFilters.of(optimized) != WatermarkFilters.of(CurrentTimes.optimized(session, made.plan)))(
          SpecProblem("FILTER_BELOW_WATERMARK")))
    }
    val joins       = SparkJoins.in(query).nonEmpty
    lazy val pruned = planned(FilterPushDown(query, prunes = true))
    lazy val whole  = planned(FilterPushDown(query, prunes = false))
    def pushed = if (settings.rejected.isEmpty || joins || whole._1.decisions != pruned._1.decisions) pruned else whole
    val moves  = joins || WindowedAggregation.hasSession(query) || query.exists(DedupRewrite.of(_).isDefined)
    (if (moves) pushed else planned(query)) match {
      case (made, None)                                                    => made
      case (made, _) if pushed._2.isEmpty && pushed._1.count == made.count => pushed._1
      case (_, Some(why))                                                  => RewrittenQuery.kept(query, why)
    }
  }

  /** Replaces the operators. An operator that fails to be planned is kept, and the query is planned again. */
  private def planned(query: LogicalPlan, joins: SparkJoins, failed: Map[Int, SpecProblem]): RewrittenQuery = {
    val run = new Run(query, joins, failed)
    try RewrittenQuery(run.replaced(query, isAllowed = true), Acceleration(run.decisions))
    catch { case RewriteFailure(number, why) => planned(query, joins, failed + (number -> why)) }
  }

  /** One attempt. Operators are numbered from the sink on, so that their names are stable. */
  private final class Run(query: LogicalPlan, joins: SparkJoins, failed: Map[Int, SpecProblem]) {
    private val found = Seq.newBuilder[(Int, OperatorAcceleration)]
    private var seen  = 0

    def decisions: Seq[OperatorAcceleration] = found.result().sortBy(_._1).map(_._2)

    def replaced(plan: LogicalPlan, isAllowed: Boolean): LogicalPlan = StatefulNodes.described(plan) match {
      case None => plan.mapChildren(replaced(_, isAllowed))
      case Some(description) =>
        val (number, name) = (seen, AcceleratedNames.of(seen))
        seen += 1
        val isContinued = continued.exists(_.runs(name))
        val verdict = for {
          _       <- failed.get(number).toLeft(())
          _       <- Either.cond(isAllowed, (), SpecProblem("OPERATOR_ABOVE_KEPT"))
          planner <- recognized(plan, name, isContinued)
          _       <- Either.cond(continued.isEmpty || isContinued, (), SpecProblem("CHECKPOINT_OF_SPARK"))
        } yield planner
        val below = plan.mapChildren(replaced(_, verdict.isRight))
        found += number -> OperatorAcceleration(name, description, verdict.left.toOption)
        verdict.fold(_ => below, plan => made(number, below, plan))
    }

    /** Returns how to replace an operator, or the reason why Spark must run it.
      *
      * @param isContinued
      *   whether the checkpoint contains this operator
      */
    private def recognized(plan: LogicalPlan, name: String, isContinued: Boolean): Either[SpecProblem, Planner] = {
      def current = Option.when(CurrentTimes.isReadBy(plan))(isKept("an operator that reads the current time"))
      val refused =
        Option.unless(isContinued)(SessionCheck(session, WatermarkCheck.marks(query))).flatten.orElse(current)
      refused.toLeft(()).flatMap(_ =>
        plan match {
          case aggregate: Aggregate => WindowedAggregation.of(mode, aggregate).map(found => {
              case over: Aggregate =>
                orThrow(name, found.over(over))(new AggregateRewrite(session, mode, settings, _, name).plan)
              case other => other
            })
          case join: Join =>
            def rewrite(of: Join, spark: Join) = JoinRewrite.of(session, of, spark, name)
            for {
              // Operators of Windrow in the query would not know how far the join holds back the watermark.
              _     <- Either.cond(StatefulNodes.ofWindrow(query) == 0, (), SpecProblem("JOIN_NOT_ALONE"))
              spark <- joins.of(join)
              _     <- rewrite(join, spark)
            } yield {
              case over: Join => orThrow(name, rewrite(over, spark))(_.plan)
              case other      => other
            }
          case other =>
            def once(plan: LogicalPlan) = DedupRewrite.of(plan).getOrElse(Left(isKept(plan.nodeName)))
            once(other).map(_ => over => orThrow(name, once(over))(_.plan(session, name)))
        })
    }
  }

  /** Plans an operator over its new input. */
  private type Planner = LogicalPlan => LogicalPlan

  private def isKept(operator: String) = SpecProblem("OPERATOR_NOT_ACCELERATED", "operator" -> operator)

  private def orThrow[T](name: String, found: Either[SpecProblem, T])(plan: T => LogicalPlan): LogicalPlan =
    found.fold(why => throw SpecError(name, Seq(why)), plan)

  private def made(number: Int, old: LogicalPlan, planner: Planner): LogicalPlan = {
    def shape(plan: LogicalPlan) =
      plan.output.map(column => (column.exprId, column.name, column.dataType, column.nullable))
    val made =
      try planner(old)
      catch {
        case wrong: SpecError     => throw RewriteFailure(number, wrong.problems.head)
        case NonFatal(unexpected) => throw RewriteFailure(number, failure(unexpected.toString))
      }
    if (shape(made) == shape(old)) made
    else throw RewriteFailure(number, failure(s"the columns ${shape(made)} are not ${shape(old)}"))
  }

  private def failure(why: String) = SpecProblem("ACCELERATION_FAILED", "why" -> why.linesIterator.next())
}

private object Rewrite {

  /** The operator with a number cannot be planned. */
  private final case class RewriteFailure(number: Int, why: SpecProblem) extends ControlThrowable
}
