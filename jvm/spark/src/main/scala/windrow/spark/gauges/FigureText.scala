package windrow.spark.gauges

import java.time.temporal.ChronoUnit
import java.time.{Instant, LocalDateTime, ZoneOffset}
import java.util.Locale

/** Figures as text, in the form in which Python shows them. */
private[spark] object FigureText {

  /** Returns a number with a comma between thousands. */
  def count(n: Long): String = String.format(Locale.ROOT, "%,d", n)

  /** Returns a time in UTC, from microseconds, without an empty part of a second. */
  def instant(micros: Long): String = {
    val at     = LocalDateTime.ofInstant(Instant.EPOCH.plus(micros, ChronoUnit.MICROS), ZoneOffset.UTC)
    val second = at.truncatedTo(ChronoUnit.SECONDS)
    val rest   = Math.floorMod(micros, 1000000L)
    val part   = if (rest == 0) "" else f".$rest%06d".stripSuffix("000")
    s"${second.toLocalDate} ${f"${second.getHour}%02d:${second.getMinute}%02d:${second.getSecond}%02d"}$part"
  }

  /** Returns a length of time in at most two units, from microseconds. */
  def span(micros: Long): String = {
    val sign    = if (micros < 0) "-" else ""
    val seconds = math.abs(micros) / 1e6
    if (seconds < 1) s"$sign${math.round(seconds * 1000)} ms"
    else if (seconds < 60) s"$sign${significant(seconds)} s"
    else {
      val (_, parts) = Units.foldLeft((math.round(seconds), Vector.empty[String])) {
        case ((rest, found), (unit, name)) =>
          (rest % unit, if (rest >= unit) found :+ s"${rest / unit} $name" else found)
      }
      sign + parts.take(2).mkString(" ")
    }
  }

  /** Returns a number of bytes. */
  def size(bytes: Long): String = {
    val (value, unit) = Seq("kB", "MB", "GB", "TB").foldLeft((bytes.toDouble, "bytes")) { case ((value, unit), next) =>
      if (value < 999.5) (value, unit) else (value / 1000, next)
    }
    s"${significant(value)} $unit"
  }

  private val Units = Seq(86400L -> "d", 3600L -> "h", 60L -> "min", 1L -> "s")

  /** Returns a number with three digits, without zeros at its end. */
  private def significant(value: Double): String =
    new java.math.BigDecimal(value).round(new java.math.MathContext(3)).stripTrailingZeros.toPlainString
}
