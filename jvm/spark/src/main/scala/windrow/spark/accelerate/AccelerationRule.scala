package windrow.spark.accelerate

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.UnsupportedOperationChecker
import org.apache.spark.sql.catalyst.plans.logical.{AnalysisHelper, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.WriteToStream
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.streaming.{OutputMode, StreamingQuery}
import org.apache.spark.sql.windrow.{RunningQuery, SparkInside}
import scala.util.Try
import windrow.spark.panes.UpstreamPanes
import windrow.spark.running.{CutOffStart, ResumeCheck}
import windrow.{CheckpointError, ErrorConditions, ErrorText, SpecProblem}

/** Runs unchanged streaming queries on Windrow. Every start of a query, in every language, ends in the node
  * `WriteToStream`. There the rule replaces Spark's stateful operators if the setting is on and the checkpoint is new,
  * or if Windrow's operators wrote the checkpoint (SEMANTICS R97).
  */
private[spark] final case class AccelerationRule(session: SparkSession) extends Rule[LogicalPlan] {
  import AccelerationRule._

  def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case write: WriteToStream => AnalysisHelper.allowInvokingTransformsInAnalyzer(started(write))
    case other                => other
  }

  private def started(write: WriteToStream): LogicalPlan = {
    val query = UpstreamPanes.inlined(write.inputQuery)
    if (StatefulNodes.all(query).isEmpty) write
    else
      StoredEngine.of(session, write.resolvedCheckpointLocation, query) match {
        case stored: StoredEngine.Windrow =>
          val settings = AcceleratedSettings(session)
          val made     = new Rewrite(session, write.outputMode, settings, Some(stored))(query)
          if (made.count != stored.count) throw changed(write, made)
          ResumeCheck.check(session, made.plan, write.resolvedCheckpointLocation)
          checked(write, made, settings)
        case StoredEngine.Nothing if isOn(session) =>
          val settings = AcceleratedSettings(session)
          checked(write, new Rewrite(session, write.outputMode, settings)(query), settings)
        case StoredEngine.Spark if isOn(session) =>
          checked(write, RewrittenQuery.kept(query, SpecProblem("CHECKPOINT_OF_SPARK")), AcceleratedSettings(session))
        case _ => replaced(write, RewrittenQuery.kept(query, SpecProblem("ACCELERATION_OFF")))
      }
  }

  private def checked(write: WriteToStream, made: RewrittenQuery, settings: AcceleratedSettings): LogicalPlan = {
    val applied = new AppliedSettings(session, settings)
    applied.check(write.outputMode, made, write.resolvedCheckpointLocation)
    if (made.count > 0) CutOffStart.clear(session, write.resolvedCheckpointLocation)
    replaced(write, made.copy(plan = applied.written(made.plan)))
  }

  /** Returns the query with the decisions as a tag of its plan. A plan that stays is copied, because several starts can
    * share it.
    */
  private def replaced(write: WriteToStream, made: RewrittenQuery): LogicalPlan = {
    if (made.count == 0 && isOn(session))
      logWarning(s"Spark runs query ${write.name} without Windrow.\n${made.decisions}")
    val old  = write.inputQuery
    val plan = if (made.count > 0) made.plan else copied(old)(identity)
    plan.setTagValue(Decisions, made.decisions)
    copied(write)(part => if (part eq old) plan else part)
  }

  /** Copies a node. The constructor of `WriteToStream` has another argument from Spark 4.2 on. */
  private def copied(node: LogicalPlan)(part: AnyRef => AnyRef): LogicalPlan =
    node.makeCopy(node.productIterator.map(one => part(one.asInstanceOf[AnyRef])).toArray)

  private def changed(write: WriteToStream, made: RewrittenQuery) = new CheckpointError(ErrorConditions.message(
    "CHECKPOINT_OF_WINDROW",
    "checkpoint" -> write.resolvedCheckpointLocation,
    "why"        -> made.decisions.toString))
}

private[spark] object AccelerationRule {

  /** The Spark setting that turns acceleration on. */
  val Setting = "spark.windrow.accelerate"

  private def isOn(session: SparkSession): Boolean = session.conf.get(Setting, "false").equalsIgnoreCase("true")

  private val Decisions = TreeNodeTag[Acceleration]("windrow.acceleration")

  /** Returns the decisions about a running query. */
  def explain(query: StreamingQuery): Acceleration = {
    val plan = RunningQuery.plan(query)
    plan.getTagValue(Decisions).getOrElse(RewrittenQuery.kept(
      plan,
      SpecProblem("ACCELERATION_NOT_INSTALLED")).decisions)
  }

  /** Returns the decisions about a DataFrame, as if it started with a new checkpoint and the setting. */
  def explain(session: SparkSession, query: LogicalPlan, mode: OutputMode): Acceleration =
    explain(session, query, mode, SparkInside.appliesLast(session, _.isInstanceOf[AccelerationRule]))

  /** Returns the decisions about a query, as if it started with a new checkpoint and the setting.
    *
    * @param hasRule
    *   whether the session applies the rule. A session that existed before the JAR was added does not.
    */
  def explain(session: SparkSession, query: LogicalPlan, mode: OutputMode, hasRule: Boolean): Acceleration = {
    val inlined = UpstreamPanes.inlined(query)
    val why     = if (hasRule) refused(session, query, mode) else Some(SpecProblem("ACCELERATION_NOT_INSTALLED"))
    why.fold(new Rewrite(session, mode, AcceleratedSettings(session))(inlined))(RewrittenQuery.kept(
      inlined,
      _)).decisions
  }

  /** Returns the reason if Spark refuses to start the query. */
  private def refused(session: SparkSession, query: LogicalPlan, mode: OutputMode): Option[SpecProblem] =
    Try(SparkInside.inSession(session)(UnsupportedOperationChecker.checkForStreaming(query, mode))).failed.toOption
      .map(why => SpecProblem("NOT_SUPPORTED_BY_SPARK", "what" -> s"the query (${ErrorText.firstLine(why)})"))
}
