package windrow.spark.stream

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.types.DataType
import scala.annotation.unused
import windrow.explain.Clock
import windrow.spark.input.{AggregateParts, GapColumns}
import windrow.spark.output.{CountColumns, OutputKind, OutputPart, OutputSchema}
import windrow.spark.pack.PackRecipe
import windrow.spark.panes.{ChainLag, UpstreamPanes, UpstreamRows}
import windrow.spark.shards.ShardProgram
import windrow.{CloseOn, FullStateSpec, SpecProblem, WindowKind, WindowOperatorSpec}

/** An operator over one stream. Defines everything in which operators differ between the table and the panes. */
private[spark] trait StreamOperator {

  /** Its windows; None for policy windows, which use neither event time nor lateness. */
  def windows: Option[WindowOperatorSpec]

  final def window: Option[WindowKind] = windows.map(_.window)

  /** Names of the columns of its rows, in addition to the user's columns, `window` and `pane`. */
  def columns: Seq[String]

  /** The specification of the kept rows, if panes contain rows instead of aggregates. */
  def kept: Option[FullStateSpec] = None

  /** Whether panes contain the row to which their window belongs. */
  def showsMessage: Boolean = false

  /** Whether a pane contains only the new part of its window. */
  def firesParts: Boolean = false

  /** Returns the problems of this operator over a table, or in a session. */
  def problems(session: SparkSession, parts: AggregateParts): Seq[SpecProblem]

  /** Returns a problem if the order of rows that the operator needs is not determined. */
  def withoutOrder(hasOffsets: Boolean, @unused hasTime: Boolean): Option[SpecProblem] =
    window.filter(_.goesByOffsets && !hasOffsets).map(windows => SpecProblem("OFFSET_NOT_STATED", "windows" -> windows))

  /** Returns how far its watermark is behind that of the query.
    *
    * @param lag
    *   how far its rows may be below the watermark of the query
    */
  def behind(lag: ChainLag.Lag): ChainLag.Lag = lag

  /** Whether the number of rows decides where its windows end, so that a retraction would count as a row. */
  protected final def countsRows: Boolean =
    windows.forall(spec => spec.window.countsRows || spec.closeOn == CloseOn.NextRow)

  /** Returns problems of panes of other operators that this operator cannot process. */
  def corrections(before: Seq[UpstreamPanes]): Seq[SpecProblem]

  /** Returns problems of rows that earlier operators retract. */
  final def retracted(before: Seq[UpstreamRows]): Seq[SpecProblem] =
    before.flatMap(_.problem(aggregates = kept.isEmpty && emits == OutputKind.Panes && !countsRows))

  /** Returns the packing of its rows and the program of its shards. */
  def running(frame: StreamFrame): (PackRecipe, ShardProgram)

  /** The main kind of its rows. */
  def emits: OutputKind = OutputKind.Panes

  /** The counts in the packets of its shards. */
  def counts: CountColumns = OutputSchema.Counts

  /** Returns the columns of its panes if windows without rows have values of their own. */
  def gapColumns(parts: AggregateParts): Option[GapColumns] = None

  /** Returns its outputs other than panes and rejected rows.
    *
    * @param timeType
    *   the type of the event-time column
    */
  def outputs(
      @unused parts: AggregateParts,
      @unused schema: OutputSchema,
      @unused timeType: DataType): Seq[OutputPart] = Nil

  /** Describes when each window fires.
    *
    * @param stream
    *   describes the input
    */
  def explanation(stream: String, clock: Clock): String

  /** Returns the condition of the problem that the key and window of panes do not identify a row of a table, if there
    * is one.
    */
  def unclearRow(hasOffsets: Boolean): Option[String] = None
}
