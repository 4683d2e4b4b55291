package windrow.spark.output

import java.util.Locale
import windrow.Reason

/** What the packets of a shard count (SEMANTICS R74): what became of the messages of a step, in its last packet, and the
  * rejected ones by their reason; what came out by its kind.
  *
  * @param sent
  *   name of what comes out
  * @param kinds
  *   names of its kinds, if they are told apart
  * @param windows
  *   it has windows, which are open for a while
  */
private[spark] final case class CountColumns(sent: String, kinds: Seq[String] = Nil, windows: Boolean = false) {
  val ofStep: Seq[String]   = Seq("accepted", "rejected", "duplicates", "gaps", sent)
  val byReason: Seq[String] = Reason.All.map(_.toString.toLowerCase(Locale.ROOT))
  val names: Seq[String]    = ofStep ++ byReason ++ kinds

  /** Behind those that have names, in the last packet of a step (SEMANTICS S16): open windows as it leaves them, how many
    * more these are than before, and 1 where both are known, 1 where they are not.
    */
  val ofWindows: Int = if (windows) 4 else 0
  val all: Int       = names.size + ofWindows
}

private[spark] object CountColumns {

  /** Open windows after a batch; null unless all shards have told of theirs in it. */
  val OpenWindows = "open_windows"

  /** How many more these are than before the batch; null if a shard does not know it. */
  val OpenChange = "open_windows_change"
}
