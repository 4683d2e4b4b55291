package windrow.spark.output

import org.apache.spark.sql.Column
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types._
import scala.jdk.CollectionConverters._

/** JSON by which a row is found again: what differs is written otherwise, and what is equal alike. Of itself Spark writes times to
  * the millisecond, in the zone of the session, no nulls, and bytes that are no text all alike; a null key must not look like no
  * key.
  */
private[spark] object ExactJson {
  private val Micros = "yyyy-MM-dd'T'HH:mm:ss.SSSSSS"
  private val Options = Map(
    "ignoreNullFields"   -> "false",
    "timeZone"           -> "UTC",
    "timestampFormat"    -> s"${Micros}XXX",
    "timestampNTZFormat" -> Micros)

  /** No character; no text begins with it. */
  private val Bytes = "\uffff"

  /** Of a struct, an array or a map. */
  def of(column: Column, as: DataType): Column = to_json(asText(column, as), Options.asJava)

  /** Of some columns of a table. */
  def of(schema: StructType, names: Seq[String]): Column = to_json(
    struct(names.map(name => asText(col(quoteIdentifier(name)), schema(name).dataType).as(name)): _*),
    Options.asJava)

  /** With digits in the place of strings that are no text. */
  private def asText(column: Column, as: DataType): Column = as match {
    case _: StringType =>
      val plain = column.cast(StringType)
      when(is_valid_utf8(plain), plain).otherwise(concat(lit(Bytes), lower(hex(plain))))
    case whole: StructType if hasStrings(whole) =>
      val fields = whole.map(field => asText(column.getField(field.name), field.dataType).as(field.name))
      when(column.isNotNull, struct(fields: _*))
    case ArrayType(element, _) if hasStrings(element) => transform(column, asText(_, element))
    case MapType(key, value, _) if hasStrings(key) || hasStrings(value) =>
      transform_keys(transform_values(column, (_, one) => asText(one, value)), (one, _) => asText(one, key))
    case _ => column
  }

  private def hasStrings(in: DataType): Boolean = in match {
    case _: StringType          => true
    case whole: StructType      => whole.exists(field => hasStrings(field.dataType))
    case ArrayType(element, _)  => hasStrings(element)
    case MapType(key, value, _) => hasStrings(key) || hasStrings(value)
    case _                      => false
  }
}
