package windrow.spark.ui

import java.util.UUID
import org.apache.spark.sql.windrow.{SparkPage, SparkPageRequest}
import scala.util.Try
import scala.xml.{Node, NodeSeq}
import windrow.spark.gauges.FigureText.{instant, span}

/** A run: its figures, the reasons why it emits nothing, and pictures. */
private[ui] final class RunPage(find: UUID => Option[RunView]) extends SparkPage {
  import RunPage._

  def path: String  = "query"
  def title: String = "Windrow query"

  def content(request: SparkPageRequest): Seq[Node] =
    request.parameter("run").flatMap(text => Try(UUID.fromString(text)).toOption).flatMap(find) match {
      case None       => Parts.page(<p>{Unknown}</p>, back(request))
      case Some(view) => Parts.page(of(view, request) :+ back(request): _*)
    }

  private def of(view: RunView, request: SparkPageRequest): Seq[Node] = {
    val live = view.live.filter(_ => request.mayRunJobs)
    val state =
      live.filter(_ => request.parameter(State).nonEmpty).fold(StateView.Unread)(StateView.read(_, view.examined))
    val link = s"${request.tab}query/?run=${view.run.runId}&$State=read"
    Seq(
      <h4>{view.title}</h4>,
      <section>
        {Parts.values(("id" -> view.run.id.toString) +: Parts.summary(view): _*)}
        {Parts.causes(view.causes(state.waiting))}
        {live.toSeq.map(_ => <a href={link}>Read the state: waiting panes and delays of rows</a>)}
      </section>) ++
      operators(view) ++
      inputs(view) :+
      <div class="charts">
        {Charts.of(view).map(chart => <section>{chart}</section>)}{state.advice.toSeq.map(DelayChart(_))}
      </div>
  }

  /** Shows the counts of each of several operators. */
  private def operators(view: RunView): NodeSeq =
    if (view.operators.sizeIs < 2) NodeSeq.Empty
    else
      <section><h5>Operators</h5>{Parts.values(view.operators.map(one => one.name -> Parts.counts(one)): _*)}</section>

  /** Shows the watermark of each input, and names the one that holds it back. */
  private def inputs(view: RunView): NodeSeq = {
    val held    = view.status.heldBackBy
    val reached = view.status.inputs.toSeq.sortBy(_._1)
    val most    = reached.flatMap(_._2).maxOption
    val shown = reached.map { case (name, at) =>
      val behind = for (time <- at; ahead <- most if ahead > time) yield s", ${span((ahead - time) * 1000)} behind"
      val text   = at.fold("no rows yet")(time => instant(time * 1000)) + behind.getOrElse("")
      name -> (if (held.contains(name)) s"$text: holds the watermark back" else text)
    }
    if (shown.isEmpty) NodeSeq.Empty else <section><h5>Inputs</h5>{Parts.values(shown: _*)}</section>
  }

  private def back(request: SparkPageRequest): Node = <p><a href={request.tab}>All queries</a></p>
}

private[ui] object RunPage {
  private val State = "state"

  private val Unknown = "This application has no run of a Windrow query with this id, or Spark no longer stores it."
}
