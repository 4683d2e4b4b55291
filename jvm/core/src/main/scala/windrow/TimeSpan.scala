package windrow

import java.time.Duration
import java.util.Locale
import scala.language.implicitConversions
import windrow.core.time.{EventTime, Position}

/** A length of time in microseconds. Users write it as text: "10 minutes", "1 hour 30 seconds".
  *
  * It may be negative, for example as the start time of windows. Specs reject negative values where they make no sense,
  * and values of 2^62 microseconds or more.
  */
final case class TimeSpan(micros: Long) extends AnyVal {

  private[windrow] def isTooLong: Boolean = !EventTime.holds(micros)

  /** The shortest exact text in one unit: `TimeSpan(60000000)` is "1 minute". */
  override def toString: String = {
    val (name, unit) = TimeSpan.Names.find { case (_, u) => micros % u == 0 }.get
    val count        = micros / unit
    if (micros == 0) "0 seconds" else s"$count $name${if (count == 1) "" else "s"}"
  }
}

object TimeSpan {
  val Zero: TimeSpan = TimeSpan(0)

  /** An unlimited time. */
  val Endless: TimeSpan = TimeSpan(Position.Greatest)

  private val Names = Seq(
    "week"        -> 604800000000L,
    "day"         -> 86400000000L,
    "hour"        -> 3600000000L,
    "minute"      -> 60000000L,
    "second"      -> 1000000L,
    "millisecond" -> 1000L,
    "microsecond" -> 1L)

  private val Units: Map[String, Long] = Names.toMap ++ Map(
    "w"   -> 604800000000L,
    "d"   -> 86400000000L,
    "h"   -> 3600000000L,
    "min" -> 60000000L,
    "m"   -> 60000000L,
    "sec" -> 1000000L,
    "s"   -> 1000000L,
    "ms"  -> 1000L,
    "us"  -> 1L)

  private val Part = """([+-]?\d+)\s*([a-z]+)\s*""".r

  /** Parses text in the style of SQL; `Left` contains the problem if it is invalid. */
  def parse(text: String): Either[SpecProblem, TimeSpan] = {
    val trimmed = text.trim.toLowerCase(Locale.ROOT).stripPrefix("interval ").trim
    def refuse(condition: String, parameters: (String, Any)*) =
      Left(SpecProblem(condition, ("value" -> s"'$text'") +: parameters: _*))
    if (trimmed.matches("""[+-]?\d+(\.\d+)?"""))
      refuse("DURATION_WITHOUT_UNIT.DURATION", "number" -> trimmed)
    else {
      val parts = Part.findAllMatchIn(trimmed).toList
      if (parts.isEmpty || parts.map(_.matched).mkString != trimmed)
        refuse("DURATION_NOT_UNDERSTOOD.TEXT")
      else
        parts.foldLeft[Either[SpecProblem, TimeSpan]](Right(Zero)) { (sum, part) =>
          val name = part.group(2)
          for {
            total <- sum
            unit <- Units.get(name).orElse(Units.get(name.stripSuffix("s"))).fold[Either[SpecProblem, Long]](refuse(
              "DURATION_NOT_UNDERSTOOD.UNIT",
              "unit"  -> name,
              "units" -> Names.map(_._1 + "s").mkString(", ")))(Right(_))
            more  <- of(BigInt(part.group(1)) * unit, s"'$text'")
            whole <- of(BigInt(total.micros) + more.micros, s"'$text'")
          } yield whole
        }
    }
  }

  /** A span of `micros` microseconds, or the problem that it is too long.
    *
    * @param what
    *   name of the value, for the problem
    */
  private[windrow] def of(micros: BigInt, what: => String): Either[SpecProblem, TimeSpan] =
    Either.cond(micros.abs < EventTime.Limit, TimeSpan(micros.toLong), tooLong(what))

  private[windrow] def tooLong(what: String): SpecProblem =
    SpecProblem("DURATION_TOO_LONG", "what" -> what)

  implicit def fromText(text: String): TimeSpan =
    parse(text).fold(problem => throw SpecError("TimeSpan", Seq(problem)), identity)

  implicit def fromDuration(duration: Duration): TimeSpan =
    of(BigInt(duration.getSeconds) * 1000000 + duration.getNano / 1000, s"'$duration'")
      .fold(problem => throw SpecError("TimeSpan", Seq(problem)), identity)
}
