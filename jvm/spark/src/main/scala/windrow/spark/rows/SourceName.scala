package windrow.spark.rows

import java.util.HexFormat
import org.apache.spark.unsafe.types.UTF8String

/** The source of an identity as text. Bytes that are none, as of a binary column, stay apart: read as text they might be alike. */
private[spark] object SourceName {

  /** No character; no text begins with it. */
  private val Bytes = "\uffff"

  def of(source: UTF8String): String =
    if (source.isValid) source.toString else Bytes + HexFormat.of.formatHex(source.getBytes)
}
