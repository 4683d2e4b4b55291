package windrow.spark.output

import org.apache.spark.sql.Column
import org.apache.spark.sql.functions.to_json
import scala.jdk.CollectionConverters._

/** JSON by which a row is found again: what differs is written otherwise, and what is equal alike. Of itself Spark writes times to
  * the millisecond, in the zone of the session, and no nulls; a null key must not look like no key.
  */
private[spark] object ExactJson {
  private val Micros = "yyyy-MM-dd'T'HH:mm:ss.SSSSSS"
  private val Options = Map(
    "ignoreNullFields"   -> "false",
    "timeZone"           -> "UTC",
    "timestampFormat"    -> s"${Micros}XXX",
    "timestampNTZFormat" -> Micros)

  def of(column: Column): Column = to_json(column, Options.asJava)
}
