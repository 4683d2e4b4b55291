package windrow.spark.standalone

import java.nio.charset.StandardCharsets.UTF_8
import windrow.CheckpointError
import windrow.ErrorConditions
import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter
import windrow.core.state.ShardStore

/** What a standalone operator keeps beside its state: what the state was made with, and its watermark, for who looks at it.
  *
  * @throws windrow.CheckpointError
  *   if the store was made with something else
  */
private[standalone] final class OperatorMetadata(store: ShardStore, fixed: Seq[String]) {
  private val space = store.space("standalone")

  Option(space.get(0)).foreach(bytes =>
    OperatorMetadata.check(ByteReader.unsealed(bytes, "the metadata of the store"), fixed))

  /** @param mark
    *   the watermark, in microseconds
    */
  def keep(mark: Option[Long]): Unit = {
    val out = new ByteWriter
    OperatorMetadata.write(fixed, mark, out)
    space.put(0, out.sealedResult())
  }
}

private[standalone] object OperatorMetadata {

  def write(fixed: Seq[String], mark: Option[Long], out: ByteWriter): Unit = {
    out.count(fixed.size.toLong)
    fixed.foreach(one => out.bytes(one.getBytes(UTF_8)))
    out.byte(if (mark.isDefined) 1 else 0)
    mark.foreach(out.long)
  }

  /** Leaves the reader after what [[write]] wrote (SEMANTICS S2). */
  def check(in: ByteReader, fixed: Seq[String]): Unit = {
    val kept = Seq.fill(in.size())(new String(in.bytes(), UTF_8))
    kept.zipAll(fixed, "nothing", "nothing").find { case (was, is) => was != is }.foreach { case (was, is) =>
      throw new CheckpointError(ErrorConditions.message("SPEC_CHANGED.OPERATOR", "found" -> was, "stated" -> is))
    }
    if (in.byte() == 1) in.long(): Unit
  }
}
