package windrow.spark.output

import org.apache.spark.sql.Column
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types._
import scala.jdk.CollectionConverters._

/** Encodes a row as JSON that identifies it: equal rows have equal JSON, and different rows different JSON. Spark's
  * default is not exact: it writes times in milliseconds in the session's time zone, omits nulls, and writes all bytes
  * that are not valid text alike. A null key must differ from a missing key.
  */
private[spark] object ExactJson {
  private val Micros = "yyyy-MM-dd'T'HH:mm:ss.SSSSSS"
  private val Options = Map(
    "ignoreNullFields"   -> "false",
    "timeZone"           -> "UTC",
    "timestampFormat"    -> s"${Micros}XXX",
    "timestampNTZFormat" -> Micros)

  /** A prefix that no valid text has, because it is not a character. */
  private val Bytes = "\uffff"

  /** Encodes a struct, an array or a map. */
  def of(column: Column, as: DataType): Column = to_json(asText(column, as), Options.asJava)

  /** Encodes columns of a table. */
  def of(schema: StructType, names: Seq[String]): Column = to_json(
    struct(names.map(name => asText(col(quoteIdentifier(name)), schema(name).dataType).as(name)): _*),
    Options.asJava)

  /** Replaces strings that are not valid UTF-8 by hexadecimal digits. */
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
