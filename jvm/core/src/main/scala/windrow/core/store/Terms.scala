package windrow.core.store

import java.nio.charset.StandardCharsets.UTF_8
import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter

/** What of a spec may change while its state lives, and by which keys know when to be looked at: after a change each is looked
  * at once. In the checkpoint.
  *
  * @param said
  *   these terms, in words
  */
private[core] final class Terms(said: String) {
  private var isNew = false

  /** They differ from those of the step before. */
  def changed: Boolean = isNew

  /** All keys have been looked at. */
  def settle(): Unit = isNew = false

  def read(in: ByteReader): Unit = isNew = new String(in.bytes(), UTF_8) != said

  def write(out: ByteWriter): Unit = out.bytes(said.getBytes(UTF_8))
}
