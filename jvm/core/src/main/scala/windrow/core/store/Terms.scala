package windrow.core.store

import java.nio.charset.StandardCharsets.UTF_8
import windrow.core.state.{ByteReader, ByteWriter, StatePart}

/** Spec values that may change between restarts and that decide when a key is next due. After a change every key is
  * visited once. Stored in the checkpoint.
  *
  * @param said
  *   the current values, as text
  */
private[core] final class Terms(said: String) extends StatePart {
  private var isNew = false

  /** The values differ from those of the previous step. */
  def changed: Boolean = isNew

  /** Records that all keys have been visited. */
  def settle(): Unit = isNew = false

  def readDirectory(in: ByteReader): Unit = isNew = new String(in.bytes(), UTF_8) != said

  def writeDirectory(out: ByteWriter): Unit = out.bytes(said.getBytes(UTF_8))
}
