package windrow.spark.rows

import java.util.HexFormat
import org.apache.spark.unsafe.types.UTF8String

/** The source of an identity as text. Bytes that are none, as of a binary column, stay apart: read as text they might be alike. */
private[spark] object SourceName {

  /** No character. A text that begins with it is written as bytes, too, so that it is never alike. */
  private val Bytes = "\uffff"

  def of(source: UTF8String): String = {
    val text = source.toString
    if (source.isValid && !text.startsWith(Bytes)) text else Bytes + HexFormat.of.formatHex(source.getBytes)
  }
}
