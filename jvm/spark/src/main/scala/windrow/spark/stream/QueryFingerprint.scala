package windrow.spark.stream

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.types.{CalendarIntervalType, DayTimeIntervalType}
import org.apache.spark.sql.windrow.SparkInside
import windrow.WindowKind
import windrow.core.state.FingerprintField
import windrow.spark.functions.{GapLayout, PythonValue}
import windrow.spark.input.{AggregateParts, PlainText, RowValueColumn, SessionMarks, Word}

/** The properties of a query that a checkpoint records and that may not change, in the user's words: everything that
  * determines how the state is read (SEMANTICS S2).
  */
private[spark] final class QueryFingerprint(
    session: SparkSession,
    window: Option[WindowKind],
    options: StreamOptions,
    parts: AggregateParts) {
  private val text   = new PlainText(parts.child.output)
  private val inputs = parts.inputs.map(_.child)

  def aggregates: FingerprintField = FingerprintField("aggregates", text.functions(parts.functions, inputs))

  private def each: Seq[String] = text.each(parts.functions, inputs)

  /** The result columns, for panes that are retracted: a retraction computes the results of its pane again. The results
    * of Python functions are left out, because another function may continue (SEMANTICS R124).
    */
  def results: FingerprintField = {
    val called = AttributeMap(
      parts.functionResults.zip(each).map { case (result, shown) => result -> Word(shown, result.dataType) } ++
        parts.keys.map(key => key.toAttribute -> Word(text(key.child), key.dataType)))
    val columns = parts.results.map(column =>
      column.name -> column.children.headOption.getOrElse(column).transform {
        case python: PythonValue => Word("a Python function", python.dataType)
        case result: Attribute   => called.getOrElse(result, result)
      })
    val zones = PlainText.zones(columns.map(_._2)).map(zone => s"session time zone $zone")
    val shown = columns.map { case (name, value) => s"$name: ${text.typed(value)}" }
    FingerprintField("results", (shown ++ zones).mkString(", "))
  }

  /** The aggregates whose results of other windows are shown in windows without rows. The state contains them by their
    * positions, which follow from the result columns.
    */
  def ofGaps(layout: GapLayout): FingerprintField = {
    def shown(functions: Seq[Int]) = if (functions.isEmpty) "none" else functions.map(each).mkString(", ")
    FingerprintField("aggregates in gaps", s"${shown(layout.last)} before, ${shown(layout.next)} after")
  }

  /** The type of rows, for operators that store rows in the state. */
  def messages: FingerprintField = FingerprintField("messages", PlainText.of(parts.message))

  /** The expressions that read rows, for all operators. */
  def ofMessages: Seq[FingerprintField] = {
    val zones = PlainText.zones(parts.keys.map(_.child) ++ inputs ++ time ++ gap ++ marks) ++
      gap.map(_.dataType).collect { case CalendarIntervalType | _: DayTimeIntervalType => // intervals may contain days
        session.conf.get("spark.sql.session.timeZone")
      }
    Seq(
      FingerprintField("keys", listed(parts.keys.map(_.child))),
      FingerprintField("inputs of aggregates", listed(inputs)),
      FingerprintField("event time", listed(time)),
      FingerprintField("identity", listed(identity))) ++
      gap.map(value => FingerprintField("session gap", text.typed(value))) ++
      Option.when(marks.nonEmpty)(FingerprintField("ends of sessions", listed(marks))) ++
      Option.when(zones.nonEmpty)(FingerprintField("session time zone", zones.distinct.mkString(", ")))
  }

  private def listed(expressions: Seq[Expression]): String =
    if (expressions.isEmpty) "none" else expressions.map(text.typed).mkString(", ")

  private def time: Seq[Expression] = parts.eventTime(session, options.time).toSeq

  private def gap: Option[Expression] = window.flatMap(kind =>
    RowValueColumn.stated(kind.rowValue, parts.markers, options.gap)((name, _) => column(name)))

  private lazy val marks: Seq[Expression] =
    window.toSeq.flatMap(SessionMarks.of(session, _, parts.child).getOrElse(Nil)).map(_.child)

  /** The columns that identify duplicates. */
  private def identity: Seq[Expression] =
    Seq("source", "partition", "offset").flatMap(name => marked(name, options.origin.get(name)))

  private def marked(mark: String, name: Option[String]): Option[Expression] =
    parts.markers.get(mark).orElse(name.flatMap(column))

  private def column(name: String): Option[Expression] = SparkInside.column(session, parts.child, name)
}

private[spark] object QueryFingerprint {

  def shards(count: Int): FingerprintField = FingerprintField("shards", s"spark.windrow.shards=$count")
}
