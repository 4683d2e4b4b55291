package windrow.spark.output

import java.util.Locale
import windrow.Reason

/** What the packets of a shard count (SEMANTICS R74): what became of the messages of a step, in its last packet, and the
  * rejected ones by their reason.
  *
  * @param sent
  *   name of what comes out
  */
private[spark] final case class CountColumns(sent: String) {
  val ofStep: Seq[String]   = Seq("accepted", "rejected", "replays", "gaps", sent)
  val byReason: Seq[String] = Reason.All.map(_.toString.toLowerCase(Locale.ROOT))
  val names: Seq[String]    = ofStep ++ byReason
}
