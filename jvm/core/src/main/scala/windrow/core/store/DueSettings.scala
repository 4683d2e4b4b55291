package windrow.core.store

import java.nio.charset.StandardCharsets.UTF_8
import windrow.core.state.{ByteReader, ByteWriter, StatePart}

/** Settings that decide when a key is next due and that may change at a restart. The checkpoint stores them. If they
  * have changed, the first step visits every key once, because the stored deadlines of keys follow the old settings.
  *
  * @param values
  *   the current values, as text
  */
private[core] final class DueSettings(values: String) extends StatePart {
  private var isNew = false

  /** The values differ from those of the previous step. */
  def changed: Boolean = isNew

  /** Records that all keys have been visited. */
  def allVisited(): Unit = isNew = false

  def readDirectory(in: ByteReader): Unit = isNew = new String(in.bytes(), UTF_8) != values

  def writeDirectory(out: ByteWriter): Unit = out.bytes(values.getBytes(UTF_8))
}
