package windrow.spark.standalone

import java.nio.charset.StandardCharsets.UTF_8
import windrow.CheckpointError
import windrow.ErrorConditions
import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter
import windrow.core.state.ShardStore

/** A thing that a store belongs to, in words.
  *
  * @param formerly
  *   how it stands in stores from before, where it stood in other words
  */
private[standalone] final case class Stated(text: String, formerly: Option[String] = None) {
  def isMeantBy(kept: String): Boolean = kept == text || formerly.contains(kept)
}

/** What a standalone operator keeps beside its state: what the state was made with, and its watermark, for who looks at it.
  *
  * @throws windrow.CheckpointError
  *   if the store was made with something else
  */
private[standalone] final class OperatorMetadata(store: ShardStore, fixed: Seq[Stated]) {
  private val space = store.space("standalone")

  Option(space.get(0)).foreach(bytes =>
    OperatorMetadata.check(ByteReader.unsealed(bytes, "what the store belongs to"), fixed))

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

  def write(fixed: Seq[Stated], mark: Option[Long], out: ByteWriter): Unit = {
    out.count(fixed.size.toLong)
    fixed.foreach(one => out.bytes(one.text.getBytes(UTF_8)))
    out.byte(if (mark.isDefined) 1 else 0)
    mark.foreach(out.long)
  }

  /** Leaves the reader behind it. What was not named yet when it was written is taken over (SEMANTICS S2). */
  def check(in: ByteReader, fixed: Seq[Stated]): Unit = {
    val kept = Seq.fill(in.size())(new String(in.bytes(), UTF_8))
    kept.zipAll(fixed.take(kept.size), "nothing", Stated("nothing")).foreach { case (was, is) =>
      if (!is.isMeantBy(was))
        throw new CheckpointError(ErrorConditions.message("SPEC_CHANGED.OPERATOR", "found" -> was, "stated" -> is.text))
    }
    if (in.byte() == 1) in.long(): Unit
  }
}
