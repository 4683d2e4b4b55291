package windrow.spark.output

import java.util.Locale
import windrow.Reason

/** The counts in the packets of a shard (SEMANTICS R74). The last packet of a step counts the accepted, rejected,
  * duplicate and gap rows; rejected rows are also counted by reason, and emitted rows by kind.
  *
  * @param sent
  *   the name of the emitted rows
  * @param kinds
  *   the names of their kinds, if they are distinguished
  * @param windows
  *   whether the operator has windows that stay open
  */
private[spark] final case class CountColumns(sent: String, kinds: Seq[String] = Nil, windows: Boolean = false) {
  import CountColumns._

  val ofStep: Seq[String]   = Seq(Accepted, Rejected, Duplicates, Gaps, sent)
  val byReason: Seq[String] = Reason.OfRejected.map(of)
  val names: Seq[String]    = ofStep ++ byReason ++ kinds

  /** The number of unnamed counts after the named ones, in the last packet of a step (SEMANTICS S16): open windows at
    * the end of the step, the change of their number, a 1 if both are known, and a 1 if they are not.
    */
  val ofWindows: Int = if (windows) 4 else 0
  val all: Int       = names.size + ofWindows
}

private[spark] object CountColumns {

  // The names of the counts of rows, in every list of them.
  val Read       = "read"
  val Accepted   = "accepted"
  val Rejected   = "rejected"
  val Duplicates = "duplicates"
  val Gaps       = "gaps"
  val Panes      = "panes"
  val Rows       = "rows"
  val Replaced   = "replaced" // accepted rows of earlier micro-batches that a later row has replaced

  /** Returns the name of the count of rows that were rejected with a reason. */
  def of(reason: Reason): String = reason.toString.toLowerCase(Locale.ROOT)

  /** The number of open windows after a micro-batch, or null unless all shards have reported theirs. */
  val OpenWindows = "open_windows"

  /** The position of the count of rows that were too late, in every packet with counts. */
  val TooLate: Int = CountColumns("").names.indexOf(of(Reason.TooLate))

  /** The change of the number of open windows in the micro-batch, or null if a shard does not know it. */
  val OpenChange = "open_windows_change"
}
