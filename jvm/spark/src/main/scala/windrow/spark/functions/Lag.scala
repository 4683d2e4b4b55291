package windrow.spark.functions

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate
import org.apache.spark.sql.catalyst.trees.UnaryLike
import org.apache.spark.sql.types._
import windrow.WindowFamily.MessageWindowsByCount
import windrow.{SpecProblem, WindowKind}

/** The value of the row that is `distance` rows before the last one, or null. In the windows of `Over(rows=…)` the last
  * row is the one to which the window belongs, so this is SQL's `lag`. Only `distance + 1` values are stored.
  */
private[spark] final case class Lag(child: Expression, distance: Int)
    extends DeclarativeAggregate with UnaryLike[Expression] {

  override def nullable: Boolean  = true
  override def dataType: DataType = child.dataType

  private lazy val values = LastValues(child.dataType, distance + 1)

  override lazy val aggBufferAttributes: Seq[AttributeReference] = values.attributes
  override lazy val initialValues: Seq[Expression]               = values.initial
  override lazy val updateExpressions: Seq[Expression] = values.merged(aggBufferAttributes, values.single(child))
  override lazy val mergeExpressions: Seq[Expression] =
    values.merged(aggBufferAttributes.map(_.left), aggBufferAttributes.map(_.right))
  override lazy val evaluateExpression: Expression = values.oldest

  override def prettyName: String               = Lag.Name
  override def sql: String                      = s"$prettyName(${child.sql}, $distance)"
  override def sql(isDistinct: Boolean): String = sql
  override def toString: String                 = s"$prettyName($child, $distance)"

  override protected def withNewChildInternal(newChild: Expression): Expression = copy(child = newChild)
}

private[spark] object Lag {
  val Name = "windrow_lag"

  /** Returns a problem for each use in windows that do not contain the row before, or whose last row is another one. */
  def problems(window: Option[WindowKind], set: FunctionSet): Seq[SpecProblem] =
    set.functions.zip(set.filters).collect { case (Lag(_, distance), filter) =>
      val contained = window.map(_.family).collect { case MessageWindowsByCount(rows) => rows > distance }
      if (!contained.contains(true))
        Some(SpecProblem(
          "LAG.WINDOW",
          "distance" -> distance,
          "rows"     -> (distance + 1),
          "window"   -> window.fold("a window by policies")(_.toString)))
      else filter.map(_ => SpecProblem("LAG.FILTER", "distance" -> distance))
    }.flatten.distinct
}
