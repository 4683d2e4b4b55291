package windrow.spark.panes

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.plans.{Inner, JoinType, LeftAnti, LeftSemi}
import org.apache.spark.sql.catalyst.trees.TreePattern.CURRENT_LIKE
import org.apache.spark.sql.types.BooleanType
import windrow._
import windrow.core.operator.PaneLag
import windrow.core.time.{Axis, Distance}
import windrow.spark.output.OutputSchema
import windrow.spark.pack.Unpack
import windrow.spark.shards.{ShardPlan, ShardProgram, WindowProcessor}

/** A program whose panes other operators can read. */
private[spark] trait PaneProgram extends ShardProgram {
  def spec: WindowOperatorSpec
  def schema: OutputSchema

  /** The name of the operator's stream. */
  def stream: String

  /** The same program with a retraction before each pane that replaces another. */
  def retracting: ShardProgram

  override def outputLag(kind: Int, column: Int): Distance[Axis.Time] =
    if (kind == OutputSchema.PaneKind) schema.lag(spec.window, PaneLag.ofEnd(spec), column) else Distance.none
}

/** An earlier operator of the same query whose panes another operator reads, and the transformations of the panes
  * between them (SEMANTICS R55).
  *
  * @param kind
  *   the kind of the operator's rows, if there are several
  * @param columns
  *   the columns of its panes, over which the following expressions are
  * @param conditions
  *   conditions that all panes fulfill that reach the later operator
  * @param reads
  *   the inputs of each aggregate of the later operator
  */
private[spark] final case class UpstreamPanes(
    operator: TransformWithState,
    program: PaneProgram,
    lag: Distance[Axis.Time],
    kind: Option[Attribute],
    columns: Seq[Attribute],
    conditions: Seq[Expression],
    reads: Seq[Expression]) {
  import UpstreamPanes._

  private def spec = program.spec

  private def field(number: Int): Attribute = columns(program.schema.paneAt + number)

  private def isRetraction = field(5)

  /** Returns the remaining condition on panes of this kind. */
  private def condition(pane: Kind): Expression = {
    val known = AttributeMap(kind.map(_ -> Literal(OutputSchema.PaneKind)).toSeq ++ Seq[(Attribute, Expression)](
      field(2)     -> Literal(pane.timing.toString),
      field(4)     -> Literal(pane.isLast),
      isRetraction -> Literal(pane.isRetraction)))
    simplified(conditions.reduceOption(And).getOrElse(Literal(true)).transformUp {
      case a: Attribute => known.getOrElse(a, a)
    })
  }

  /** Whether no pane that arrives replaces another one that arrives: windows fire once or in parts, or the user has
    * selected one pane of each window.
    */
  lazy val comeOnce: Boolean = !spec.firesAgain || spec.accumulation == Discarding || {
    val come = Kinds.filterNot(_.isRetraction && !spec.retracts).filterNot(kind => never(condition(kind)))
    !come.exists(_.isRetraction) && (come.forall(_.timing == Timing.OnTime) || come.forall(_.isLast))
  }

  /** Whether the retraction of every pane that arrives also arrives. */
  def comeWithRetractions: Boolean =
    conditions.forall(UpstreamPanes.isLasting) && Kinds.filter(kind => !kind.isRetraction && !kind.isLast).forall(
      pane =>
        condition(pane).semanticEquals(condition(pane.copy(isRetraction = true))))

  /** Whether each aggregate reads `is_retraction`. */
  def areTakenBack: Boolean = reads.nonEmpty && reads.forall(readsRetraction)

  def someSeeRetractions: Boolean = reads.exists(readsRetraction)

  private def readsRetraction(read: Expression) = simplified(read).references.contains(isRetraction)

  def name: String = program.stream
}

private[spark] object UpstreamPanes {

  private final case class Kind(timing: Timing, isLast: Boolean, isRetraction: Boolean)

  /** The possible kinds of panes. The last pane of a window is never retracted. */
  private val Kinds = for {
    timing       <- Timing.All
    isLast       <- Seq(false, true)
    isRetraction <- Seq(false, true)
    if !(isLast && isRetraction)
  } yield Kind(timing, isLast, isRetraction)

  /** Returns the operators whose panes a table contains. Results of Spark's own stateful operators and of users'
    * functions do not count as panes. Operators of a batch query are not included either, because their windows fire
    * once.
    *
    * @param reads
    *   over the table
    */
  def of(table: LogicalPlan, reads: Seq[Expression] = Nil): Seq[UpstreamPanes] = below(table, Nil, reads)(operator)

  /** Whether a condition that a row fulfills also holds for its retraction, which can be emitted later. */
  def isLasting(condition: Expression): Boolean =
    condition.deterministic && !condition.containsPattern(CURRENT_LIKE)

  /** Returns a plan with its common table expressions inside, so that each operator sees its whole input. */
  def inlined(plan: LogicalPlan): LogicalPlan =
    if (!plan.exists(_.isInstanceOf[WithCTE])) plan
    else plan.transformWithSubqueries { case WithCTE(over, definitions) => inline(over, definitions) }

  /** Replaces references to common table expressions. Spark's own rule has different arguments in each version. */
  private[panes] def inline(over: LogicalPlan, definitions: Seq[CTERelationDef]): LogicalPlan = {
    def written(plan: LogicalPlan, by: Map[Long, LogicalPlan]) = plan.transformWithSubqueries {
      case name: CTERelationRef if by.contains(name.cteId) =>
        val table = by(name.cteId)
        Project(name.output.zip(table.output).map { case (to, from) => Alias(from, to.name)(to.exprId) }, table)
    }
    written(
      over,
      definitions.foldLeft(Map.empty[Long, LogicalPlan])((known, one) => known + (one.id -> written(one.child, known))))
  }

  /** Finds an operator, given its shards, its rows, and the conditions and reads over them. */
  private[panes] type Find[B] = (TransformWithState, Unpack, Seq[Expression], Seq[Expression]) => Option[B]

  /** Returns the operators below a plan that `find` finds, with the conditions and reads over their rows. */
  private[panes] def below[B](plan: LogicalPlan, conditions: Seq[Expression], reads: Seq[Expression])(
      find: Find[B]): Seq[B] = {
    def through(child: LogicalPlan, meaning: Seq[(Attribute, Expression)]) = {
      val known = AttributeMap(meaning)
      def over(expressions: Seq[Expression]) =
        expressions.map(_.transformUp { case a: Attribute => known.getOrElse(a, a) })
      below(child, over(conditions), over(reads))(find)
    }
    plan match {
      case Project(columns, child) =>
        through(child, columns.collect { case a @ Alias(value, _) => a.toAttribute -> value })
      case Filter(condition, child) => below(child, conditions :+ condition, reads)(find)
      case all: Union               => all.children.flatMap(one => through(one, all.output.zip(one.output)))
      case Join(left, right, kind, Some(on), _) =>
        val (ofLeft, ofRight) = kept(kind, on)
        below(left, conditions ++ ofLeft, reads)(find) ++ below(right, conditions ++ ofRight, reads)(find)
      case join: Join => join.children.flatMap(below(_, conditions, reads)(find))
      case Generate(generator, _, _, _, _, child) =>
        below(child, conditions ++ generator.children.map(IsNotNull(_)), reads)(find) // a null generates no rows
      case Expand(projections, output, child) =>
        through(
          child,
          output.zip(projections.transpose).collect {
            case (to, Seq(from, more @ _*))
                if more.forall(_.semanticEquals(from)) => to -> from
          })
      case some: Sample => // a sample selects retractions independently of their panes
        below(some.child, conditions :+ LessThan(Rand(Literal(0L)), Literal(0.5)), reads)(find)
      case WithCTE(over, definitions) => below(inline(over, definitions), conditions, reads)(find)
      case rows: Unpack =>
        rows.collectFirst { case shards: TransformWithState => shards }.flatMap(find(
          _,
          rows,
          conditions,
          reads)).toSeq
      case _: SubqueryAlias | _: View | _: EventTimeWatermark | _: CollectMetrics | _: RepartitionOperation |
          _: RebalancePartitions | _: Sort | _: ResolvedHint =>
        plan.children.flatMap(below(_, conditions, reads)(find))
      case _ => Nil
    }
  }

  /** Returns conditions that hold for the rows of each side that a join keeps. */
  private def kept(kind: JoinType, on: Expression): (Option[Expression], Option[Expression]) = kind match {
    case Inner    => (Some(on), Some(on))
    case LeftSemi => (Some(on), None)
    case LeftAnti => (Some(Or(Not(on), AttributeReference("nothing is there", BooleanType)())), None)
    case _        => (None, None)
  }

  private def operator(
      shards: TransformWithState,
      rows: Unpack,
      conditions: Seq[Expression],
      reads: Seq[Expression]): Option[UpstreamPanes] = (shards.statefulProcessor: Any) match {
    case processor: WindowProcessor =>
      Some(
        processor.program).collect { case program: PaneProgram => program }.zip(rows.columnsOf(OutputSchema.PaneKind))
        .map { case (program, columns) =>
          UpstreamPanes(shards, program, processor.lag, rows.kind, columns, conditions, reads)
        }
    case _ => None
  }

  /** Returns the table with operators that retract each pane before they emit one that replaces it. */
  def retracting(table: LogicalPlan, operators: Seq[UpstreamPanes]): LogicalPlan = table.transform {
    case shards: TransformWithState if operators.exists(_.operator eq shards) =>
      val before = operators.find(_.operator eq shards).get
      ShardPlan.running(shards, before.program.retracting, before.lag)
  }

  private def simplified(expression: Expression): Expression = SimplifiedExpression(expression)

  private def never(condition: Expression): Boolean = condition match {
    case Literal(value, _) => value == null || value == false
    case _                 => false
  }
}
