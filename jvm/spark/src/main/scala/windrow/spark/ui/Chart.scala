package windrow.spark.ui

import scala.xml.{Elem, Node}

/** The values of one thing, one for each label. */
private[ui] final case class Series(name: String, color: String, values: Seq[Option[Long]])

/** A picture as SVG: bars on top of each other, or lines.
  *
  * @param text
  *   writes a value
  */
private[ui] final case class Chart(title: String, series: Seq[Series], isStacked: Boolean, text: Long => String) {
  import Chart._

  private val count = series.map(_.values.size).maxOption.getOrElse(0)

  private val most: Long = {
    val sums =
      if (isStacked) (0 until count).map(i => series.flatMap(_.values(i)).sum)
      else series.flatMap(_.values.flatten)
    math.max(1L, sums.maxOption.getOrElse(0L))
  }

  private val slot: Double = (Right - Left) / math.max(1, count)

  /** Draws the picture.
    *
    * @param labels
    *   the labels of the values. If they are many, only the first and the last are shown.
    */
  def drawn(labels: Seq[String]): Node =
    <figure style="margin:0">
      <figcaption><b>{title}</b></figcaption>
      <svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label={title} viewBox={s"0 0 $Width $Height"}
           font-family="system-ui, sans-serif" font-size="11" fill="currentColor">
        <line x1={px(Left)} x2={px(Right)} y1={px(Bottom)} y2={px(Bottom)} stroke="currentColor"/>
        <text x={px(Left)} y={px(Top - 6)}>{text(most)}</text>
        {
      shown(labels).map { case (at, anchor, label) =>
        <text x={px(at)} y={px(Bottom + 14)} text-anchor={anchor}>{label}</text>
      }
    }
        {if (isStacked) bars(labels) else series.flatMap(line(_, labels))}
      </svg>
      <div>{series.map(legend)}</div>
    </figure>

  private def shown(labels: Seq[String]): Seq[(Double, String, String)] =
    if (labels.sizeIs <= Few) labels.zipWithIndex.map { case (label, i) => (x(i), "middle", label) }
    else Seq((Left, "start", labels.head), (Right, "end", labels.last))

  private def bars(labels: Seq[String]): Seq[Elem] = (0 until count).flatMap { i =>
    val parts = series.map(one => one -> one.values(i).getOrElse(0L))
    val below = parts.scanLeft(0L)(_ + _._2)
    parts.zip(below).collect {
      case ((one, n), from) if n > 0 =>
        <rect x={px(Left + i * slot + slot * 0.1)} width={px(slot * 0.8)} y={px(y(from + n))} height={
          px(y(from) - y(from + n))
        }
            fill={one.color}><title>{s"${labels(i)}: ${one.name} ${text(n)}"}</title></rect>
    }
  }

  private def line(of: Series, labels: Seq[String]): Seq[Elem] = {
    val points = of.values.zipWithIndex.collect { case (Some(value), i) => (x(i), y(value), i, value) }
    val path   = points.map { case (x, y, _, _) => s"${px(x)},${px(y)}" }.mkString(" ")
    <polyline points={path} fill="none" stroke={of.color} stroke-width="2"/> +: points.map { case (x, y, i, value) =>
      <circle cx={px(x)} cy={px(y)} r="2.5" fill={of.color}><title>{
        s"${labels(i)}: ${of.name} ${text(value)}"
      }</title></circle>
    }
  }

  /** Names a series, with its last value or its sum. */
  private def legend(of: Series): Elem = {
    val value = if (isStacked) Some(of.values.flatten.sum) else of.values.flatten.lastOption
    <span class="legend"><span style={s"color:${of.color}"}>■</span>{
      s" ${of.name} ${value.fold("–")(text)}"
    }</span>
  }

  private def x(i: Int): Double      = Left + (i + 0.5) * slot
  private def y(value: Long): Double = Bottom - value.toDouble / most * (Bottom - Top)
}

private[ui] object Chart {
  val Blue   = "#2f81c7"
  val Orange = "#dd6b20"
  val Violet = "#9a63d0"
  val Grey   = "#8b949e"
  val Red    = "#d6454f"

  /** The most labels that have room below a picture. */
  private val Few = 9

  private val Width  = 360
  private val Height = 150
  private val Left   = 4.0
  private val Right  = 356.0
  private val Top    = 20.0
  private val Bottom = 130.0

  private def px(value: Double): String = f"$value%.1f".replace(',', '.')
}
