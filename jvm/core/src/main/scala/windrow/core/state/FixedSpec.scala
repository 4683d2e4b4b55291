package windrow.core.state

import java.nio.charset.StandardCharsets.UTF_8
import windrow.CheckpointError

/** What may not change while a state lives, in words, as the header of each shard begins with it (SEMANTICS S2). */
object FixedSpec {

  /** Of a header, leaving the reader behind it. */
  def read(in: ByteReader): Seq[String] = Seq.fill(in.count().toInt)(new String(in.bytes(), UTF_8))

  /** Of a whole header. */
  def of(header: Array[Byte]): Seq[String] = read(ByteReader.unsealed(header, "the header of a shard"))

  def write(fixed: Seq[String], out: ByteWriter): Unit = {
    out.count(fixed.size.toLong)
    fixed.foreach(text => out.bytes(text.getBytes(UTF_8)))
  }

  /** None if a state that was begun with `kept` can be gone on with. */
  def changed(kept: Seq[String], fixed: Seq[String]): Option[CheckpointError] =
    kept.zipAll(fixed, "nothing", "nothing").find { case (was, is) => was != is }.map { case (was, is) =>
      new CheckpointError(
        s"[SPEC_CHANGED] the checkpoint has $was, the query $is. Sinks, longer lateness, longer retention and what of " +
          "triggers is not named here may change; for this take a new checkpoint.")
    }
}
