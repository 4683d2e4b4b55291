package windrow.spark.output

import java.util.Locale
import org.apache.spark.sql.types._
import windrow.core.operator.PaneLag
import windrow.core.time.{Axis, Distance}
import windrow.{Timing, WindowKind}

/** The formats of the panes, rejected rows, events and answers that a shard emits. Each kind has its own columns.
  *
  * @param keys
  *   types of the key columns
  * @param results
  *   types of the functions' results
  * @param message
  *   type of the original row
  * @param window
  *   the windows; None for policy windows, which also emit events
  * @param panesShowMessage
  *   whether panes contain the row to which their window belongs
  * @param answers
  *   types of a lookup and of the rows in its answer, if there is a lookup stream
  */
final class OutputSchema(
    val keys: Seq[DataType],
    val results: Seq[DataType],
    val message: StructType,
    val window: Option[WindowKind],
    val panesShowMessage: Boolean = false,
    val answers: Option[(StructType, StructType)] = None)
    extends Serializable {

  /** The types of a pane: keys, pane, results, then the row if panes contain one. */
  def pane: Seq[DataType] = keys ++ OutputSchema.Pane ++ results ++ Option.when(panesShowMessage)(message)

  val paneAt: Int    = keys.size
  val resultsAt: Int = paneAt + OutputSchema.Pane.size
  val messageAt: Int = resultsAt + results.size

  /** Returns how far times in a column of panes may be below the watermark (SEMANTICS R95).
    *
    * @param ofEnd
    *   how far the end of the window may be below the watermark
    */
  def lag(window: WindowKind, ofEnd: Distance[Axis.Time], column: Int): Distance[Axis.Time] =
    if (column == paneAt + 1 || (window.isOfMessage && column == messageAt)) ofEnd else PaneLag.inside(window, ofEnd)

  /** Whether panes and rejected rows show the name of one of several windows. */
  val isNamed: Boolean = window.exists(_.isNamed)

  /** The types of a rejected row: rejection, name of the window if there are several, row. */
  def rejected: Seq[DataType] = OutputSchema.Rejection ++ Option.when(isNamed)(StringType) :+ message

  /** The types of an event: keys, event, rows. */
  def event: Seq[DataType] = keys ++ OutputSchema.Event :+ ArrayType(message, containsNull = false)

  val eventAt: Int = keys.size

  /** The types of an answer: the lookup, and the rows that it gets. */
  def answer: Seq[DataType] =
    answers.toSeq.flatMap { case (asks, gets) => Seq(asks, ArrayType(gets, containsNull = false)) }
}

object OutputSchema {
  val PaneKind     = 0
  val RejectedKind = 1
  val EventKind    = 2
  val AnswerKind   = 3

  /** Start, end, timing, index, is_last, is_retraction, source or name of the window, partition. */
  val Pane: Seq[DataType] =
    Seq(LongType, LongType, StringType, LongType, BooleanType, BooleanType, StringType, LongType)

  /** Reason, watermark, processing time. */
  val Rejection: Seq[DataType] = Seq(StringType, LongType, LongType)

  /** Counts panes by their timing. Retractions are counted separately. */
  val Counts: CountColumns =
    CountColumns(CountColumns.Panes, Timing.All.map(_.toString.toLowerCase(Locale.ROOT)) :+ "withdrawn", windows = true)
  private[output] val Withdrawn = Timing.All.size

  /** Event, number of its window, sequence. */
  val Event: Seq[DataType] = Seq(StringType, LongType, LongType)
}
