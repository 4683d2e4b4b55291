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
  */
private[spark] final case class CountColumns(sent: String, kinds: Seq[String] = Nil) {
  val ofStep: Seq[String]   = Seq("accepted", "rejected", "replays", "gaps", sent)
  val byReason: Seq[String] = Reason.All.map(_.toString.toLowerCase(Locale.ROOT))
  val names: Seq[String]    = ofStep ++ byReason ++ kinds
}
