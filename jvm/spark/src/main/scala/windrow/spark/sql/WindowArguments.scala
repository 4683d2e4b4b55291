package windrow.spark.sql

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import windrow._
import windrow.spark.aggregate.Aggregates
import windrow.spark.arguments.{ArgumentReader, StreamArguments, TableArguments}
import windrow.spark.fullstate.{FullState, FullStateParts}
import windrow.spark.input.AggregateParts
import windrow.spark.stream.{StreamOperator, WindowQuery}

/** Plans the function of one kind of windows, with aggregates or, if it has a key argument, with full state.
  *
  * @param read
  *   creates the windows from their arguments
  */
private[spark] final case class WindowArguments(function: WindowFunction, read: WindowFields => Option[WindowKind]) {
  import WindowArguments._

  def name: String = function.name

  private val allowed = function.arguments ++ Common

  def plan(expressions: Seq[Expression]): LogicalPlan = {
    val arguments =
      TableArguments.read(name, expressions, allowed, elsewhere = function.elsewhere)
    val gap      = gapColumn(arguments)
    val reader   = new ArgumentReader(arguments.values -- gap.map(_ => "gap"))
    val options  = StreamArguments.read(reader, gap, arguments.names("index_by").getOrElse(Nil))
    val draft    = drafted(reader)
    val operator = draft.toRight(Nil).flatMap(checked(_, arguments, reader))
    val session  = SparkSession.active
    WindowQuery.plan(
      session,
      draft.filter(_ => arguments.problems.isEmpty && reader.problems.isEmpty).fold(name)(_.window.toString),
      reader.checked(operator, arguments.problems).map(_ -> options),
      arguments.names("key").fold(AggregateParts.of(arguments.table))(key =>
        FullStateParts.of(session, arguments.table, Some(key))),
      stated = Some(options))
  }

  /** Returns the name of the gap column. A gap that is not a duration is a column name. */
  private def gapColumn(arguments: TableArguments): Option[String] =
    arguments.values.get("gap").collect { case column: String if TimeSpan.parse(column).isLeft => column }

  private[sql] def drafted(reader: ArgumentReader): Option[WindowOperatorDraft] = {
    val window = read(reader)
    val draft = WindowOperatorDraft(
      window.getOrElse(Global), // continues, to find all problems
      if (window.exists(_.isLateByOffsets)) reader.countIfSet("lateness").map(TimeSpan(_))
      else reader.spanIfSet("lateness"),
      reader.triggerIfSet("early").getOrElse(Never),
      reader.flagIfSet("on_time").getOrElse(true),
      reader.triggerIfSet("late").getOrElse(EachBatch),
      reader.wordIfSet("accumulation_mode", AccumulationMode.All),
      reader.flagIfSet("skip_unchanged").getOrElse(false),
      reader.wordIfSet("close_on", CloseOn.All).getOrElse(CloseOn.Watermark),
      reader.gapsIfSet("fill_gaps").getOrElse(TimeSpan.Zero),
      reader.retention,
      reader.spanIfSet("max_future"),
      gapValues = reader.gapValuesIfSet("gap_values", "gap_at_most"))
    window.map(_ => draft)
  }

  private def checked(
      draft: WindowOperatorDraft,
      arguments: TableArguments,
      reader: ArgumentReader): Either[Seq[SpecProblem], StreamOperator] =
    if (!arguments.values.contains("key")) draft.check.map(Aggregates(_))
    else FullStateDraft.check(
      draft,
      if (reader.isSet("early")) draft.early else EachMessage,
      if (reader.isSet("late")) draft.late else EachMessage).map(FullState(_))
}

private[spark] object WindowArguments {

  /** The arguments of every function of a kind. */
  private[sql] val Common: Seq[String] =
    Seq("lateness", "max_future", "early", "on_time", "late", "skip_unchanged", "accumulation_mode") ++
      Seq("close_on", "fill_gaps", "gap_values", "gap_at_most", "key", "index_by", "retain_time", "retain_messages",
        "retain_windows") ++
      StreamArguments.Names

  val All: Seq[WindowArguments] =
    for (form <- WindowKinds.Forms; function <- form.function) yield WindowArguments(function, form.read)
}
