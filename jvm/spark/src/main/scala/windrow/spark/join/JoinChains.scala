package windrow.spark.join

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types.BooleanType
import windrow._
import windrow.spark.input.StreamTable
import windrow.spark.watermark.EventWatermark

/** Plans the joins of the builders: one operator, or a chain of them for an outer join of several streams. */
private[spark] object JoinChains {

  /** Plans a join of tables with marked columns.
    *
    * @param watermarks
    *   the watermarks that Windrow sets, by the name of the stream
    * @param tables
    *   one table for each stream, or a single one: Spark's join of them, with the conditions of the join (see
    *   [[JoinTables]])
    */
  def marked(
      session: SparkSession,
      options: JoinOptions,
      watermarks: Map[String, EventWatermark],
      tables: Seq[LogicalPlan]): LogicalPlan = {
    val names = options.spec.names
    val (sides, conditions) = tables match {
      case Seq(joined) if names.size > 1 => JoinTables.of(joined)
      case all                           => (all, Nil)
    }
    if (sides.size != names.size)
      throw SpecError(
        "_windrow_apply",
        Seq(SpecProblem("TABLE_MISSING.JOIN", "streams" -> names.size, "tables" -> sides.size)))
    val inputs = names.zip(sides).map { case (name, table) =>
      StreamTable.marked(name, table, options.on.size, watermarks.get(name))
    }
    val found = conditions.flatten.flatMap(JoinCondition.problems(_, options.spec.how))
    if (found.nonEmpty) throw SpecError("a join", found)
    if (options.spec.isChain) new JoinChain(session, steps(options, inputs, conditions), shown(options, inputs)).plan
    else JoinPlan(session, options, inputs, conditions.flatten.reduceOption(And))
  }

  /** The value of each equality column in the rows of a chain: that of the first stream with a row. */
  private def shown(options: JoinOptions, inputs: Seq[StreamTable]): Seq[(String, Expression)] =
    options.on.zipWithIndex.map { case (name, i) => name -> key(options, inputs, i) }

  private def key(options: JoinOptions, inputs: Seq[StreamTable], number: Int): Expression =
    JoinChain.first(options.spec.how.shown(inputs).map(_.keys(number)))

  /** Returns the joins of two streams of an outer join of several (SEMANTICS R143). */
  private def steps(
      options: JoinOptions,
      streams: Seq[StreamTable],
      conditions: Seq[Option[Expression]]): Seq[JoinStep] = {
    val inputs = JoinPlan.comparable(streams)
    inputs.indices.tail.map { number =>
      val (earlier, added) = (inputs.take(number), inputs(number))
      val isLast           = number == inputs.size - 1
      val draft            = options.spec.draft
      val name             = JoinOutputs.name(earlier.map(_.name))
      val spec = draft.copy(
        streams = Seq(JoinStream(name), JoinStream(added.name)),
        within = rangeOf(draft.within, added.name),
        early = if (isLast) draft.early else EachMessage,
        startOffsets = Map.empty).checked
      val isFirst = number == 1
      JoinStep(
        options.copy(spec = spec),
        if (isFirst) Seq(inputs.head, added) else Seq(added),
        if (isFirst) Nil
        else options.on.indices.map(key(options, earlier, _)),
        Option.unless(isFirst)(inputs.head.time),
        conditions.lift(number - 1).flatten)
    }
  }

  private def rangeOf(within: Within, stream: String): Within = within match {
    case Within.Ranges(of) => Within.Ranges(of.filter(_._1 == stream))
    case other             => other
  }
}

/** Reads Spark's join of the tables of several streams, which never runs. Spark has resolved the conditions of the join
  * over the columns of the streams, and has given each stream its own columns.
  */
private[spark] object JoinTables {

  /** Returns the tables, and the condition with which each one except the first is joined. */
  def of(plan: LogicalPlan): (Seq[LogicalPlan], Seq[Option[Expression]]) = plan match {
    case SubqueryAlias(_, child) => of(child)
    case view: View              => of(view.child)
    case join: Join              => joined(join)
    case other                   => (Seq(other), Nil)
  }

  private def joined(join: Join): (Seq[LogicalPlan], Seq[Option[Expression]]) = {
    val (tables, conditions) = join.left match {
      case earlier: Join => joined(earlier)
      case first         => (Seq(table(first)), Nil)
    }
    (tables :+ table(join.right), conditions :+ join.condition.filterNot(_ == Literal(true, BooleanType)))
  }

  private def table(plan: LogicalPlan): LogicalPlan = plan match {
    case SubqueryAlias(_, child) => table(child)
    case other                   => other
  }
}
