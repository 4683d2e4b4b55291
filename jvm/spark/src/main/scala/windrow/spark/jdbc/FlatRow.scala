package windrow.spark.jdbc

import com.fasterxml.jackson.core.json.JsonWriteFeature
import com.fasterxml.jackson.databind.json.JsonMapper
import java.time.ZoneOffset.UTC
import java.util.HexFormat
import org.apache.spark.sql.Row
import org.apache.spark.sql.types.StructType
import scala.util.Try

/** Describes a flat row in the error about a value that a database cannot store, and in the dead-letter table. */
private[jdbc] final class FlatRow(schema: StructType, row: Row) {
  import FlatRow._

  private val names     = schema.fieldNames.toIndexedSeq
  private val firstEdge = names.indexWhere(_.startsWith("window_"))
  private val ofWindow  = names.indices.filter(names(_).startsWith("window_"))
  private val ofPane    = names.indices.filter(names(_).startsWith("pane_"))
  private val ofKey     = 0 until math.max(0, firstEdge)

  /** Describes key and window. */
  def named: String = {
    def some(places: Seq[Int]) = places.map(i => s"${names(i)}=${short(row.get(i))}").mkString(", ")
    if (firstEdge < 0) "a row"
    else s"the row of ${(Seq(some(ofKey)).filter(_.nonEmpty) :+ some(ofWindow)).mkString(", ")}"
  }

  /** Names columns and describes the special properties of their values without showing them. */
  def problem(columns: Seq[Int]): String =
    if (columns.isEmpty) "its values together"
    else columns.map(i => s"column '${names(i)}', ${kindOf(row.get(i))}").mkString("; ")

  def columnNames(columns: Seq[Int]): String = columns.map(names).mkString(", ")

  /** The key as JSON in plain ASCII, which every database can store. The following methods return other columns in the
    * same form.
    */
  def key(most: Int): String    = json(ofKey, most)
  def window(most: Int): String = json(ofWindow, most)
  def pane(most: Int): String   = json(ofPane, most)
  def values(most: Int): String = json(names.indices.filterNot(names(_).startsWith("__windrow_")), most)

  /** Converts columns to JSON.
    *
    * @param most
    *   the maximum number of characters of a string. Longer strings are cut, and their length is added.
    */
  private def json(places: Seq[Int], most: Int): String = {
    val node = Json.createObjectNode()
    places.foreach { i =>
      row.get(i) match {
        case null                                             => node.putNull(names(i))
        case value: Boolean                                   => node.put(names(i), value)
        case value: Double if value.isNaN || value.isInfinite => node.put(names(i), value.toString)
        case value: Float if value.isNaN || value.isInfinite  => node.put(names(i), value.toString)
        case value @ (_: Byte | _: Short | _: Int | _: Long) => node.put(names(i), value.asInstanceOf[Number].longValue)
        case value @ (_: Double | _: Float) => node.put(names(i), value.asInstanceOf[Number].doubleValue)
        case value: java.math.BigDecimal    => node.put(names(i), value)
        case other                          => node.put(names(i), cut(text(other), most))
      }
    }
    Json.writeValueAsString(node)
  }
}

private[jdbc] object FlatRow {
  private val Json = JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build()

  /** Replaces all characters except printable ASCII, and limits the length so that every string column can store the
    * text.
    */
  def plain(text: String, most: Int): String =
    text.take(most).map(one => if (one >= ' ' && one <= '~') one else '?')

  private def cut(text: String, most: Int): String =
    if (text.length <= most) text else s"${text.take(most)}... (${text.length} characters)"

  private def short(value: Any): String = value match {
    case null         => "null"
    case text: String => s"'${plain(cut(text, 40), 100)}'"
    case other        => plain(cut(text(other), 40), 100)
  }

  private def text(value: Any): String = value match {
    case old: java.sql.Timestamp        => Try(old.toInstant.toString).getOrElse(s"${old.getTime} ms")
    case local: java.time.LocalDateTime => local.toInstant(UTC).toString.stripSuffix("Z")
    case bytes: Array[Byte]             => HexFormat.of.formatHex(bytes)
    case other                          => other.toString
  }

  private def kindOf(value: Any): String = value match {
    case null                                       => "null"
    case one: Double if one.isNaN || one.isInfinite => if (one.isNaN) "NaN" else "infinite"
    case one: Float if one.isNaN || one.isInfinite  => if (one.isNaN) "NaN" else "infinite"
    case one: java.math.BigDecimal => s"a number of ${one.precision} digits, ${one.scale} after the decimal point"
    case number: Number            => s"a ${number.getClass.getSimpleName.toLowerCase}"
    case bytes: Array[Byte]        => s"${bytes.length} bytes"
    case one: String =>
      val more = if (one.contains('\u0000')) " with U+0000" else if (one.forall(_ < 128)) "" else ", not all ASCII"
      s"a string of ${one.length} characters$more"
    case one: java.sql.Timestamp => Try(s"a time in the year ${one.toInstant.atZone(UTC).getYear}").getOrElse("a time")
    case one: java.time.Instant  => s"a time in the year ${one.atZone(UTC).getYear}"
    case one: java.time.temporal.Temporal =>
      Try(s"a time in the year ${one.get(java.time.temporal.ChronoField.YEAR)}").getOrElse("a time")
    case one: java.sql.Date => s"a date in the year ${one.toLocalDate.getYear}"
    case other              => s"a ${other.getClass.getSimpleName}"
  }
}
