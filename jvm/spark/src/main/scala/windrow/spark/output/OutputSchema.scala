package windrow.spark.output

import java.util.Locale
import org.apache.spark.sql.types._
import windrow.Timing
import windrow.WindowKind
import windrow.core.operator.PaneLag
import windrow.core.time.Axis
import windrow.core.time.Distance

/** The rows in which panes, rejected messages, events and answers leave a shard, each kind with columns of its own.
  *
  * @param keys
  *   types of the key columns
  * @param results
  *   types of the functions' results
  * @param message
  *   type of the original row
  * @param window
  *   None: windows by policies, of which events are told too
  * @param panesShowMessage
  *   they carry the message that their window belongs to
  * @param answers
  *   types of the row that asks and of the rows that it gets, where a lookup stream asks for what is kept
  */
final class OutputSchema(
    val keys: Seq[DataType],
    val results: Seq[DataType],
    val message: StructType,
    val window: Option[WindowKind],
    val panesShowMessage: Boolean = false,
    val answers: Option[(StructType, StructType)] = None)
    extends Serializable {

  /** Keys, pane, results; then the message, if panes show it. */
  def pane: Seq[DataType] = keys ++ OutputSchema.Pane ++ results ++ Option.when(panesShowMessage)(message)

  val paneAt: Int    = keys.size
  val resultsAt: Int = paneAt + OutputSchema.Pane.size
  val messageAt: Int = resultsAt + results.size

  /** How far times in a column of panes may lie behind the watermark (SEMANTICS R95).
    *
    * @param ofEnd
    *   how far the end of their window may
    */
  def lag(window: WindowKind, ofEnd: Distance[Axis.Time], column: Int): Distance[Axis.Time] =
    if (column == paneAt + 1 || (window.isOfMessage && column == messageAt)) ofEnd else PaneLag.inside(window, ofEnd)

  /** Rejection, message. */
  def rejected: Seq[DataType] = OutputSchema.Rejection :+ message

  /** Keys, event, messages. */
  def event: Seq[DataType] = keys ++ OutputSchema.Event :+ ArrayType(message, containsNull = false)

  val eventAt: Int = keys.size

  /** The row that asks, and those that it gets. */
  def answer: Seq[DataType] =
    answers.toSeq.flatMap { case (asks, gets) => Seq(asks, ArrayType(gets, containsNull = false)) }
}

object OutputSchema {
  val PaneKind     = 0
  val RejectedKind = 1
  val EventKind    = 2
  val AnswerKind   = 3

  /** start, end, timing, index, is_last, is_retraction, source, partition */
  val Pane: Seq[DataType] =
    Seq(LongType, LongType, StringType, LongType, BooleanType, BooleanType, StringType, LongType)

  /** reason, watermark, processing time */
  val Rejection: Seq[DataType] = Seq(StringType, LongType, LongType)

  /** Panes by their timing; what is taken back is none of these. */
  val Counts: CountColumns =
    CountColumns("panes", Timing.All.map(_.toString.toLowerCase(Locale.ROOT)) :+ "withdrawn", windows = true)
  private[output] val Withdrawn = Timing.All.size

  /** event, number of its window, sequence */
  val Event: Seq[DataType] = Seq(StringType, LongType, LongType)
}
