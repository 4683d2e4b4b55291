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
  val ofStep: Seq[String]   = Seq("accepted", "rejected", "duplicates", "gaps", sent)
  val byReason: Seq[String] = Reason.OfRejected.map(_.toString.toLowerCase(Locale.ROOT))
  val names: Seq[String]    = ofStep ++ byReason ++ kinds

  /** The number of unnamed counts after the named ones, in the last packet of a step (SEMANTICS S16): open windows at
    * the end of the step, the change of their number, a 1 if both are known, and a 1 if they are not.
    */
  val ofWindows: Int = if (windows) 4 else 0
  val all: Int       = names.size + ofWindows
}

private[spark] object CountColumns {

  /** The number of open windows after a micro-batch, or null unless all shards have reported theirs. */
  val OpenWindows = "open_windows"

  /** The position of the count of rows that were too late, in every packet with counts. */
  val TooLate: Int = CountColumns("").names.indexOf(Reason.TooLate.toString.toLowerCase(Locale.ROOT))

  /** The change of the number of open windows in the micro-batch, or null if a shard does not know it. */
  val OpenChange = "open_windows_change"
}
