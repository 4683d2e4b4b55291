package windrow.spark.output

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.LongType
import windrow.core.operator.Counters

/** The columns in which a shard tells what became of the messages of a step (SEMANTICS R74).
  *
  * @param sent
  *   name of what comes out
  */
private[spark] final case class CountColumns(sent: String) {
  val names: Seq[String]   = Seq("accepted", "rejected", "replays", "gaps", sent)
  val types: Seq[DataType] = names.map(_ => LongType)

  /** @param at
    *   of the first column
    */
  def write(row: InternalRow, at: Int, of: Counters, sent: Long): Unit = {
    Seq(of.accepted, of.rejected, of.replays, of.gaps, sent).zipWithIndex
      .foreach { case (count, i) => row.update(at + i, count) }
  }
}
