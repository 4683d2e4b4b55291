package windrow.spark.ui

import org.apache.spark.sql.windrow.{SparkPage, SparkPageRequest}
import scala.xml.Node

/** The list of runs. */
private[ui] final class RunsPage(runs: () => Seq[RunView]) extends SparkPage {
  def path: String  = ""
  def title: String = "Windrow"

  def content(request: SparkPageRequest): Seq[Node] = runs() match {
    case Seq() => Parts.page(<p>No Windrow query has started in this application.</p>)
    case all   => Parts.page(all.map(card(request.tab, _)): _*)
  }

  private def card(tab: String, view: RunView): Node =
    <section>
      <h4><a href={s"${tab}query/?run=${view.run.runId}"}>{view.title}</a></h4>
      {Parts.values(Parts.summary(view): _*)}
      {Parts.causes(view.causes().take(1))}
    </section>
}
