package windrow.spark.join

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import windrow._
import windrow.spark.arguments.{ArgumentReader, NamedInput, StreamArguments, TableArguments}
import windrow.spark.output.OutputKind

/** Plans a SQL function over a table `SELECT * FROM a JOIN b ON …`, in which the join is the specification. */
private[spark] sealed abstract class JoinFunction(val Name: String) {

  private[spark] val Allowed: Seq[String] =
    own ++ Seq("lateness", "max_future", "output", "early", "time", "watermark") ++
      Seq("processing_time_watermark", "invalid", "partition", "offset", "watermark_by") ++ StreamArguments.Watermark

  /** When rows are emitted by default. */
  protected def usual: PaneTrigger

  /** The arguments of this function alone. */
  protected def own: Seq[String]

  /** @param isRetained
    *   whether a retention is set
    */
  protected def within(table: JoinTable, reader: ArgumentReader, isRetained: Boolean): Within

  /** A problem of the table, as the user of this function understands it. */
  protected def understood(problem: SpecProblem): SpecProblem = problem

  /** Problems of the table. */
  protected def problems(table: JoinTable): Seq[SpecProblem]

  def plan(expressions: Seq[Expression]): LogicalPlan = {
    val arguments                       = TableArguments.read(Name, expressions, Allowed)
    val session                         = SparkSession.active
    def refuse(found: Seq[SpecProblem]) = throw SpecError(Name, arguments.problems ++ found)
    val joined = JoinTable.of(arguments.table).fold(found => refuse(found.map(understood)), identity)
    val inputs = joined.sides.zipWithIndex.map { case ((name, table), i) =>
      NamedInput(session, arguments, name, table, joined.times.map(_(i)), joined.keys.map(_._2(i)))
    }
    val reader    = new ArgumentReader(arguments.values)
    val part      = reader.wordIfSet("output", "VALUE_UNKNOWN", OutputKind.OfRows).getOrElse(OutputKind.Rows)
    val watermark = StreamArguments.watermark(reader)
    val behind    = reader.delayIfSet("processing_time_watermark")
    val draft     = drafted(joined, reader)
    val invalid   = StreamArguments.invalid(reader)
    val read      = if (reader.problems.isEmpty) draft.check else Left(reader.problems)
    val found     = read.left.getOrElse(Nil) ++ problems(joined) ++ ofTime(joined, reader) ++ inputs.flatMap(_.problems)
    if (found.nonEmpty || arguments.problems.nonEmpty) refuse(found)
    val spec = read.fold(refuse, identity)
    JoinPlan(
      session,
      JoinOptions(spec, joined.keys.map(_._1), part, invalid, behind),
      inputs.map(_.input(watermark)),
      joined.rest)
  }

  private def drafted(table: JoinTable, reader: ArgumentReader): JoinDraft = {
    val retention = reader.retention
    JoinDraft(
      table.sides.map { case (name, _) => JoinStream(name) },
      table.keys.nonEmpty,
      within(table, reader, retention.isStated),
      table.how,
      reader.spanIfSet("lateness"),
      reader.triggerIfSet("early").getOrElse(usual),
      retention,
      reader.spanIfSet("max_future"),
      reader.wordIfSet("expect", "VALUE_UNKNOWN", Seq(ExpectedSize.Small, ExpectedSize.Large))
        .getOrElse(ExpectedSize.Large))
  }

  private def ofTime(joined: JoinTable, reader: ArgumentReader): Seq[SpecProblem] =
    if (joined.times.isDefined && reader.isSet("time"))
      Seq(SpecProblem("TIME_TWICE"))
    else if (joined.times.isEmpty && !reader.isSet("time"))
      Seq(SpecProblem("TIME_NOT_STATED.JOIN"))
    else Nil
}

/** Plans `windrow_join(TABLE(SELECT * FROM a JOIN b ON …), …)`. */
private[spark] object JoinSql extends JoinFunction("windrow_join") {
  protected def usual: PaneTrigger = EachMessage
  protected def own: Seq[String]   = Seq("expect", "retain_time", "retain_messages")

  protected def within(table: JoinTable, reader: ArgumentReader, isRetained: Boolean): Within =
    if (table.ranges.nonEmpty) Within.Ranges(table.ranges)
    else if (isRetained) Within.Everything
    else Within.OwnWindows

  protected def problems(table: JoinTable): Seq[SpecProblem] = Nil
}

/** Plans `windrow_asof_join(TABLE(SELECT * FROM a LEFT JOIN b ON a.key = b.key), …)`. */
private[spark] object AsofJoinSql extends JoinFunction("windrow_asof_join") {
  protected def usual: PaneTrigger = EachBatch
  protected def own: Seq[String]   = Seq("direction", "tolerance")

  protected def within(table: JoinTable, reader: ArgumentReader, isRetained: Boolean): Within = Within.AsOf(
    reader.wordIfSet("direction", "VALUE_UNKNOWN", AsofDirection.All).getOrElse(AsofDirection.Backward),
    reader.spanIfSet("tolerance"))

  override protected def understood(problem: SpecProblem): SpecProblem =
    if (problem.code == "RANGE_NOT_UNDERSTOOD") SpecProblem("ASOF_CONDITION", "condition" -> "the event times")
    else problem

  /** The table has equal columns only, because the nearest row would otherwise depend on other conditions. */
  protected def problems(table: JoinTable): Seq[SpecProblem] =
    (table.rest.toSeq ++ Option.when(table.times.isDefined)(table.times.get.head)).headOption.map(one =>
      SpecProblem("ASOF_CONDITION", "condition" -> one.sql)).toSeq
}
