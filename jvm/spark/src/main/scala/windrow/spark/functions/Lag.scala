package windrow.spark.functions

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate
import org.apache.spark.sql.catalyst.trees.UnaryLike
import org.apache.spark.sql.catalyst.util.GenericArrayData
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

  // A struct contains each value, so that a null value differs from a missing row.
  private lazy val stored = CreateNamedStruct(Seq(Literal("value"), child))
  private lazy val values = AttributeReference("values", ArrayType(stored.dataType, containsNull = false))()

  override lazy val aggBufferAttributes: Seq[AttributeReference] = Seq(values)
  override lazy val initialValues: Seq[Expression] =
    Seq(Literal(new GenericArrayData(Array.empty[Any]), values.dataType))
  override lazy val updateExpressions: Seq[Expression] = Seq(last(values, CreateArray(Seq(stored))))
  override lazy val mergeExpressions: Seq[Expression]  = Seq(last(values.left, values.right))
  override lazy val evaluateExpression: Expression = If(
    GreaterThan(Size(values, legacySizeOfNull = false), Literal(distance)),
    GetStructField(GetArrayItem(values, Literal(0), failOnError = false), 0),
    Literal.create(null, dataType))

  private def last(earlier: Expression, later: Expression): Expression = {
    val all = Concat(Seq(earlier, later))
    If(
      GreaterThan(Size(all, legacySizeOfNull = false), Literal(distance + 1)),
      Slice(all, Literal(-distance - 1), Literal(distance + 1)),
      all)
  }

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
