package windrow.spark.accelerate

import org.apache.spark.sql.catalyst.expressions.{Expression, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical._
import windrow.spark.shards.WindowProcessor

/** Finds the stateful operators of Spark in the analyzed plan of a streaming query. */
private object StatefulNodes {

  /** The beginning of the description of an aggregation. */
  val Aggregation = "aggregate"

  /** Returns a description of a node that stores state, or None for other nodes and for Windrow's operators. */
  def described(plan: LogicalPlan): Option[String] = Option.when(plan.isStreaming)(plan).collect {
    case Aggregate(grouping, _, _, _) if grouping.isEmpty => Aggregation
    case Aggregate(grouping, _, _, _)                     => s"$Aggregation by ${grouping.map(named).mkString(", ")}"
    // The two classes have another field from Spark 4.3 on.
    case once: Deduplicate => s"dropDuplicates by ${once.keys.map(_.name).mkString(", ")}"
    case once: DeduplicateWithinWatermark =>
      s"dropDuplicatesWithinWatermark by ${once.keys.map(_.name).mkString(", ")}"
    case StreamJoin(join)                                   => s"join ${join.joinType.sql}"
    case shards: TransformWithState if !isOfWindrow(shards) => "transformWithState"
    case _: Distinct                                        => "distinct"
    case _: Except                                          => "except"
    case _: GlobalLimit                                     => "limit"
    case other if Others.exists(other.nodeName.startsWith)  => other.nodeName
  }

  /** A join of two streams. */
  object StreamJoin {
    def unapply(plan: LogicalPlan): Option[Join] =
      Option(plan).collect { case join: Join if join.left.isStreaming && join.right.isStreaming => join }
  }

  /** Beginnings of the names of other nodes with state. The classes of some differ between Spark versions. */
  private val Others = Seq("FlatMapGroupsWithState", "FlatMapGroupsInPandasWithState", "TransformWithStateInP")

  private def named(grouping: Expression): String = grouping match {
    case column: NamedExpression => column.name
    case other                   => other.sql
  }

  /** Returns the descriptions of the stateful operators from the sink on. */
  def all(plan: LogicalPlan): Seq[String] = plan.collect(Function.unlift(described))

  /** Returns the number of operators that the query itself describes with Windrow. */
  def ofWindrow(plan: LogicalPlan): Int =
    plan.collect { case shards: TransformWithState if isOfWindrow(shards) => 1 }.sum

  private def isOfWindrow(shards: TransformWithState) = (shards.statefulProcessor: Any).isInstanceOf[WindowProcessor]
}
