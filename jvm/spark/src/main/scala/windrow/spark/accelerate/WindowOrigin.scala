package windrow.spark.accelerate

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types.{LongType, StructType, TimestampNTZType, TimestampType}
import windrow.SpecProblem

/** The place in a plan where the windows of an aggregation are computed.
  *
  * @param window
  *   the column of the windows at that place
  * @param time
  *   the event time. Windows are computed from it alone, and the end of a session also from its own gap.
  * @param structs
  *   one expression for each window that a row can have
  * @param conditions
  *   conditions over `time` and `window` that the windows of a row fulfill
  * @param input
  *   the input of the aggregation without its windows
  */
private final case class WindowOrigin(
    window: Attribute,
    time: Attribute,
    structs: Seq[Expression],
    conditions: Seq[Expression],
    input: LogicalPlan) {

  /** The columns of the input from which the windows are computed. */
  def read: AttributeSet = AttributeSet.fromAttributeSets(structs.map(_.references))

  /** The start and the gap of a session in microseconds, if they are known. */
  def session: Option[(Expression, Expression)] = structs match {
    case Seq(CreateNamedStruct(Seq(_, start, _, end))) =>
      val (from, to) = (micros(start), micros(end))
      Some(from -> Subtract(to, from, EvalMode.TRY))
    case _ => None
  }

  private def micros(bound: Expression) = PreciseTimestampConversion(bound, bound.dataType, LongType)
}

private object WindowOrigin extends PredicateHelper {
  private type Found = Either[SpecProblem, WindowOrigin]

  /** Returns the place, or the reason why the windows cannot be separated from the input.
    *
    * @param plan
    *   the input of the aggregation
    * @param window
    *   the column of the windows by which it groups
    */
  def of(plan: LogicalPlan, window: Attribute): Found = plan match {
    case SubqueryAlias(_, child)     => of(child, window)
    case view: View                  => of(view.child, window)
    case Filter(condition, child)    => of(child, window).flatMap(filtered(_, condition, window))
    case Project(columns, child)     => projected(columns, child, window)
    case Expand(rows, output, child) => expanded(rows, output, child, window)
    case other                       => unknown(s"a ${other.nodeName} lies between the window and the groupBy")
  }

  private def unknown(why: String): Found = Left(SpecProblem("WINDOW_NOT_RECOGNIZED", "why" -> why))

  private def filtered(found: WindowOrigin, condition: Expression, window: Attribute): Found = {
    val (own, others) = splitConjunctivePredicates(condition).partition(_.references.contains(window))
    val ofWindow      = own.map(_.transform { case a: Attribute if a.exprId == window.exprId => found.window })
    if (!ofWindow.forall(isOfSpark(_, found)))
      unknown(s"the filter ${condition.sql} reads the window")
    else if (!others.forall(one => one.deterministic && one.references.subsetOf(found.input.outputSet)))
      unknown(s"the filter ${condition.sql} cannot precede the window")
    else
      Right(found.copy(
        conditions = found.conditions ++ ofWindow,
        input = others.reduceOption(And).fold(found.input)(Filter(_, found.input))))
  }

  /** Whether a condition is one with which Spark selects the windows of a row. Others can exclude windows that no verified
    * time has.
    */
  private def isOfSpark(condition: Expression, found: WindowOrigin): Boolean = {
    def isBound(value: Expression, number: Int) = PartialFunction.cond(value) {
      case GetStructField(column, `number`, _) => column.semanticEquals(found.window)
    }
    PartialFunction.cond(condition) {
      case IsNotNull(value)                => value.references.subsetOf(AttributeSet(Seq(found.window, found.time)))
      case GreaterThanOrEqual(time, start) => time.semanticEquals(found.time) && isBound(start, 0)
      case LessThan(time, end)             => time.semanticEquals(found.time) && isBound(end, 1)
      case GreaterThan(end, start)         => isBound(end, 1) && isBound(start, 0)
    }
  }

  private def projected(columns: Seq[NamedExpression], child: LogicalPlan, window: Attribute): Found = {
    val others = columns.filterNot(column => column.exprId == window.exprId || column.references.contains(window))
    columns.find(_.exprId == window.exprId) match {
      case Some(passed: Attribute) => of(child, passed).flatMap(over(_, others))
      case Some(Alias(renamed: Attribute, _)) if renamed.dataType.isInstanceOf[StructType] =>
        of(child, renamed).flatMap(over(_, others.filterNot(_.references.contains(renamed))))
      case Some(Alias(struct, _)) => made(window, Seq(struct), child).flatMap(over(_, others))
      case _                      => unknown("the window is not a column of the input")
    }
  }

  /** Adds the other columns of a projection, and the columns of the windows that the projection omits. */
  private def over(found: WindowOrigin, columns: Seq[NamedExpression]): Found = {
    val kept = columns.filter(_.references.subsetOf(found.input.outputSet))
    val read = found.read.toSeq.filterNot(column => kept.exists(_.exprId == column.exprId))
    // Spark computes a random column for each window of a row.
    if (found.structs.sizeIs > 1 && !columns.forall(_.deterministic)) unknown("a column beside it is random")
    else Right(found.copy(input = Project(kept ++ read, found.input)))
  }

  private def expanded(
      rows: Seq[Seq[Expression]],
      output: Seq[Attribute],
      child: LogicalPlan,
      window: Attribute): Found = {
    val at = output.indexWhere(_.exprId == window.exprId)
    val isPassed = output.indices.filterNot(_ == at).forall(i =>
      rows.forall(_(i) match { case same: Attribute => same.exprId == output(i).exprId; case _ => false }))
    if (at < 0) unknown("the window is not a column of the input")
    else if (!isPassed) unknown("other columns are computed beside the window")
    else made(window, rows.map(_(at)), child)
  }

  private def made(window: Attribute, structs: Seq[Expression], input: LogicalPlan): Found =
    timesOf(window, structs).flatMap(_.references).distinctBy(_.exprId) match {
      case Seq(time) if isTime(time) && structs.forall(_.deterministic) =>
        Right(WindowOrigin(window, time, structs, Nil, input))
      case Seq(_) => unknown("it is computed from a column that is not a timestamp")
      case _      => unknown("it is not computed from a single timestamp column")
    }

  /** Returns the expressions that must read the event time only: all of windows, and the start of a session. */
  private def timesOf(window: Attribute, structs: Seq[Expression]): Seq[Expression] = structs match {
    case Seq(CreateNamedStruct(Seq(_, start, _, _))) if window.metadata.contains(SessionWindow.marker) => Seq(start)
    case _                                                                                             => structs
  }

  private def isTime(column: Attribute) = column.dataType == TimestampType || column.dataType == TimestampNTZType
}
