package windrow.spark.ui

import scala.xml.Node
import windrow.advice.{Advice, LatenessEffect}
import windrow.spark.gauges.FigureText.{count, span}

/** The rows that arrived after the end of their window, by their delay, and the advised lateness. */
private[ui] object DelayChart {

  /** The ends of the bars in seconds, with their labels. */
  private val Ends = Seq(
    1L      -> "1 s",
    10L     -> "10 s",
    60L     -> "1 min",
    600L    -> "10 min",
    3600L   -> "1 h",
    21600L  -> "6 h",
    86400L  -> "1 d",
    604800L -> "7 d")

  def apply(advice: Advice): Node = {
    val ends = Ends.map { case (seconds, label) => (seconds * 1000000, label) } :+ ((Long.MaxValue, "more"))
    def bars(isCaught: Boolean) = ends.map(_._1).zip(Long.MinValue +: ends.map(_._1)).map { case (to, from) =>
      Option(advice.delays.collect {
        case (delay, n)
            if delay.micros > from && delay.micros <= to && isCaught == (delay.micros <= advice.advised.lateness.micros) =>
          n
      }.sum)
    }
    val chart = Chart(
      "Late rows, by a delay of up to",
      Seq(
        Series(s"accepted with ${span(advice.advised.lateness.micros)}", Chart.Blue, bars(isCaught = true)),
        Series("later", Chart.Orange, bars(isCaught = false))),
      isStacked = true,
      count)
    <section>
      {chart.drawn(ends.map(_._2))}
      <p>{s"Advised: ${effect(advice.advised)}. Current: ${effect(advice.present)}."}</p>
    </section>
  }

  private def effect(of: LatenessEffect): String = {
    val percent = new java.math.BigDecimal(of.caught * 100).setScale(3, java.math.RoundingMode.FLOOR)
    s"a lateness of ${span(of.lateness.micros)} accepts ${percent.stripTrailingZeros.toPlainString} % of the rows"
  }
}
