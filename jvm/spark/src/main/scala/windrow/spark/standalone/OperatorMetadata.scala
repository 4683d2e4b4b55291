package windrow.spark.standalone

import java.nio.charset.StandardCharsets.UTF_8
import windrow.core.state.{ByteReader, ByteWriter, ShardStore}
import windrow.{CheckpointError, ErrorConditions}

/** Stores, in addition to the state of a standalone operator, the properties with which it was created, and its
  * watermark, for readers of the state.
  *
  * @throws windrow.CheckpointError
  *   if the store was created with other properties
  */
private[standalone] final class OperatorMetadata(store: ShardStore, fixed: Seq[String]) {
  private val space = store.space("standalone")

  Option(space.get(0)).foreach(bytes =>
    OperatorMetadata.check(ByteReader.unsealed(bytes, "the metadata of the store"), fixed))

  /** Stores the watermark.
    *
    * @param mark
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

  /** Checks the properties against those that [[write]] wrote, and leaves the reader after them (SEMANTICS S2). */
  def check(in: ByteReader, fixed: Seq[String]): Unit = {
    val kept = Seq.fill(in.size())(new String(in.bytes(), UTF_8))
    kept.zipAll(fixed, "nothing", "nothing").find { case (was, is) => was != is }.foreach { case (was, is) =>
      throw new CheckpointError(ErrorConditions.message("SPEC_CHANGED.OPERATOR", "found" -> was, "stated" -> is))
    }
    if (in.byte() == 1) in.long(): Unit
  }
}
