package windrow.spark.stream

import org.apache.spark.sql.SparkSession
import scala.annotation.unused
import windrow.FullStateSpec
import windrow.SourceWindows
import windrow.SpecProblem
import windrow.WindowKind
import windrow.WindowOperatorSpec
import windrow.explain.Clock
import windrow.spark.input.AggregateParts
import windrow.spark.output.OutputPart
import windrow.spark.output.OutputSchema
import windrow.spark.pack.PackRecipe
import windrow.spark.panes.PanesBefore
import windrow.spark.shards.ShardProgram

/** An operator over one stream: what is its own on the way from a table to panes. */
private[spark] trait StreamOperator {

  /** Its windows; None for windows of policies, which know neither event time nor lateness. */
  def windows: Option[WindowOperatorSpec]

  final def window: Option[WindowKind] = windows.map(_.window)

  /** Names of columns that its rows have beside those of the user, `window` and `pane`. */
  def columns: Seq[String]

  /** Panes carry messages instead of aggregates, and these are kept. */
  def kept: Option[FullStateSpec] = None

  /** Panes carry the message that their window belongs to. */
  def showsMessage: Boolean = false

  /** A pane holds only what is new of its window. */
  def firesParts: Boolean

  /** What is wrong with it over a table, or in a session. */
  def problems(session: SparkSession, parts: AggregateParts): Seq[SpecProblem]

  /** Why messages do not say the order by which it goes. */
  def withoutOrder(hasOffsets: Boolean, @unused hasTime: Boolean): Option[SpecProblem] = window.collect {
    case windows: SourceWindows if !hasOffsets =>
      SpecProblem(
        "OFFSET_NOT_STATED",
        "windows" -> windows)
  }

  /** Which panes of other operators it cannot take, as they come. */
  def corrections(before: Seq[PanesBefore]): Seq[SpecProblem]

  /** How its messages are packed, and what its shards run. */
  def running(frame: StreamFrame): (PackRecipe, ShardProgram)

  /** Its rows that are neither panes nor rejected. */
  def outputs(parts: AggregateParts, schema: OutputSchema): Seq[OutputPart] = Nil

  /** What each window waits for.
    *
    * @param stream
    *   what it is over
    */
  def explanation(stream: String, clock: Clock): String

  /** The condition under which the key and window of panes do not say which row of a table is theirs. */
  def unclearRow(hasOffsets: Boolean): Option[String] = None
}
