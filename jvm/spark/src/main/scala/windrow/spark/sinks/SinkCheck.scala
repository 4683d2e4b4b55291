package windrow.spark.sinks

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.StructType
import windrow.SpecProblem
import windrow.spark.input.ColumnNames
import windrow.spark.jdbc.JdbcColumns
import windrow.spark.output.LastPanes
import windrow.spark.running.{RunOptions, StartCheck}

/** The properties of a query's panes that decide whether a table can keep one row for each window.
  *
  * @param areParts
  *   whether a pane contains only the rows that are new
  * @param showMessage
  *   whether a pane contains the row to which its window belongs
  * @param unclear
  *   the condition of the problem that the key and window do not identify the row of a pane
  */
private[spark] final case class PaneTraits(
    areParts: Boolean = false,
    showMessage: Boolean = false,
    unclear: Option[String] = None)

/** Checks the sinks of a start together with everything else that could make it fail. Creates nothing. */
private[spark] object SinkCheck {

  /** Returns the warnings of [[StartCheck.check]].
    *
    * @param plan
    *   `kind`, and a struct for each kind
    * @param start
    *   the other options of the start
    * @param wrong
    *   problems that the caller has found
    * @throws SpecError
    *   with every problem
    */
  def apply(
      session: SparkSession,
      plan: LogicalPlan,
      sinks: QuerySinks,
      panes: PaneTraits,
      start: RunOptions,
      wrong: Seq[SpecProblem] = Nil): Seq[String] = {
    val present = sinks.stated.filter(one => plan.schema.fieldNames.contains(one.kind))
    val upserts = present.map(one => one -> ofUpsert(one, rowsOf(plan, one.kind), panes))
    val found = Option.when(sinks.stated.isEmpty)(
      SpecProblem("SINK_NOT_STATED", "outputs" -> sinks.kinds.mkString("=, "))).toSeq ++
      Option.unless(plan.isStreaming)(SpecProblem("NOT_STREAMING.INPUT", "output" -> sinks.kinds.head)) ++
      sinks.stated.diff(present).map(_ => SpecProblem("NO_EVENTS")) ++
      present.collect { case KindSink(kind, _: Jdbc, _) => JdbcColumns.clashes(kind, rowsOf(plan, kind)) }.flatten ++
      sharedTables(sinks.stated) ++ upserts.flatMap(_._2)
    val looks = upserts.collect {
      case (one, problems) if !preventsLook(one, problems) =>
        () => one.sink.verify(session, rowsOf(plan, one.kind))
    }
    StartCheck.check(session, plan, start.copy(files = sinks.files, tables = sinks.tables), found ++ wrong, looks)
  }

  /** Returns the columns of a kind of rows. */
  def rowsOf(plan: LogicalPlan, kind: String): StructType = plan.schema(kind).dataType.asInstanceOf[StructType]

  private def sharedTables(stated: Seq[KindSink]): Seq[SpecProblem] =
    stated.collect { case KindSink(kind, one: Jdbc, _) => kind -> (one.url, one.table) }.groupBy(_._2).collect {
      case ((_, table), several) if several.sizeIs > 1 =>
        SpecProblem("SINK_SHARED", "kinds" -> several.map(_._1).sorted.mkString(" and "), "place" -> table)
    }.toSeq

  private def ofUpsert(one: KindSink, rows: StructType, panes: PaneTraits): Seq[SpecProblem] = {
    def problem(condition: String) = SpecProblem(condition, "sink" -> one.shown)
    if (!one.sink.keepsLast) Nil
    else if (one.kind != "panes") Seq(SpecProblem("UPSERT_NOT_OF_PANES", "kind" -> one.kind, "sink" -> one.shown))
    else {
      val on      = one.sink.on
      val unknown = lacking(on, rows)
      val called  = Option.when(!panes.showMessage && rows.fieldNames.contains("message"))("NAME_TAKEN.UPSERT")
      val topic = one.sink match {
        case _: KafkaTable if unknown.isEmpty && !LastPanes.isOfOneWindow(rows, LastPanes.columns(rows, on)) =>
          Some("UPSERT_ROW_UNCLEAR.TOPIC")
        case _ => None
      }
      val parts = Option.when(panes.areParts)("UPSERT_OF_PARTS")
      unknown ++ ((panes.unclear ++ called).filter(isUnclear(on, _)) ++ topic ++ parts).map(problem)
    }
  }

  /** Columns of `on` that the panes do not have. */
  private def lacking(on: Seq[String], panes: StructType): Seq[SpecProblem] =
    on.filterNot(panes.fieldNames.contains).map(ColumnNames.missing("on", _, panes.fieldNames.toSeq))

  /** Whether `on` does not identify the row of a pane either. Windows whose numbers start again at 0 cannot be ordered,
    * so `on` must contain `window` for them.
    */
  private def isUnclear(on: Seq[String], condition: String): Boolean =
    on.isEmpty || condition.endsWith("LIMITS") && !on.contains("window")

  /** Whether problems of the columns would only cause another problem when the sink is tried. */
  private def preventsLook(one: KindSink, wrong: Seq[SpecProblem]): Boolean = wrong.exists(problem =>
    problem.code == "COLUMN_NOT_FOUND" || problem.code == "UPSERT_NOT_OF_PANES" ||
      one.sink.isInstanceOf[Upsert] && problem.code.startsWith("UPSERT_"))
}
