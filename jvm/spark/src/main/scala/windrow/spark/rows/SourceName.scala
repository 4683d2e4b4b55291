package windrow.spark.rows

import java.util.HexFormat
import org.apache.spark.unsafe.types.UTF8String

/** Converts the source of an identity to text. Bytes that are not valid text, as in a binary column, are encoded,
  * because different ones could be read as equal text.
  */
private[spark] object SourceName {

  /** A prefix that is not a character. A text that starts with it is encoded as well, so that no two sources become
    * equal.
    */
  private val Bytes = "\uffff"

  def of(source: UTF8String): String = {
    val text = source.toString
    if (source.isValid && !text.startsWith(Bytes)) text else Bytes + HexFormat.of.formatHex(source.getBytes)
  }
}
