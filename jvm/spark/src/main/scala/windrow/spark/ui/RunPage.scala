package windrow.spark.ui

import java.util.UUID
import org.apache.spark.sql.windrow.SparkPage
import scala.util.Try
import scala.xml.{Node, NodeSeq}
import windrow.spark.gauges.Facts
import windrow.spark.gauges.FigureText.{instant, span}

/** A run: its figures, the reasons why it emits nothing, and pictures. */
private[ui] final class RunPage(find: UUID => Option[RunView]) extends SparkPage {
  def path: String  = "query"
  def title: String = "Windrow query"

  def content(tab: String, parameter: String => Option[String]): Seq[Node] =
    parameter("run").flatMap(text => Try(UUID.fromString(text)).toOption).flatMap(find) match {
      case None => Parts.page(
          <p>This application has no run of a Windrow query with this id, or Spark no longer stores it.</p>,
          back(tab))
      case Some(view) => Parts.page(
          <h4>{view.title}</h4> +:
            <section>
              {Parts.values(("id" -> view.run.id.toString) +: Parts.summary(view): _*)}
              {Parts.causes(view.causes)}
            </section> +:
            inputs(view) :+
            <div class="charts">{Charts.of(view).map(chart => <section>{chart}</section>)}</div> :+
            back(tab): _*)
    }

  private def back(tab: String): Node = <p><a href={tab}>All queries</a></p>

  /** Shows the watermark of each input, and names the one that holds it back. */
  private def inputs(view: RunView): NodeSeq = {
    val held    = Facts.of(view.status).heldBackBy
    val reached = view.status.inputs.toSeq.sortBy(_._1)
    val most    = reached.flatMap(_._2).maxOption
    val shown = reached.map { case (name, at) =>
      val behind = for (time <- at; ahead <- most if ahead > time) yield s", ${span((ahead - time) * 1000)} behind"
      val text   = at.fold("no rows yet")(time => instant(time * 1000)) + behind.getOrElse("")
      name -> (if (held.contains(name)) s"$text: holds the watermark back" else text)
    }
    if (shown.isEmpty) NodeSeq.Empty else <section><h5>Inputs</h5>{Parts.values(shown: _*)}</section>
  }
}
