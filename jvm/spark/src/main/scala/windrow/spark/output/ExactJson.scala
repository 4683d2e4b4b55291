package windrow.spark.output

import org.apache.spark.sql.Column
import org.apache.spark.sql.functions.to_json
import scala.jdk.CollectionConverters._

/** JSON by which a row is found again: what differs is written otherwise. Of itself Spark writes times to the millisecond and no
  * nulls, and a null key must not look like no key.
  */
private[spark] object ExactJson {
  private val Micros = "yyyy-MM-dd'T'HH:mm:ss.SSSSSS"
  private val Usual =
    Map("ignoreNullFields" -> "false", "timestampFormat" -> s"${Micros}XXX", "timestampNTZFormat" -> Micros)

  /** @param more
    *   options of `to_json`
    */
  def of(column: Column, more: (String, String)*): Column = to_json(column, (Usual ++ more).asJava)
}
