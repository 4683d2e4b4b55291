package org.apache.spark.sql.windrow

import jakarta.servlet.http.HttpServletRequest
import org.apache.spark.SparkConf
import org.apache.spark.scheduler.SparkListener
import org.apache.spark.sql.SparkSession
import org.apache.spark.status.{AppHistoryServerPlugin, ElementTrackingStore}
import org.apache.spark.ui.{SparkUI, SparkUITab, UIUtils, WebUIPage}
import scala.xml.Node

/** A request for a page.
  *
  * @param tab
  *   the address of the tab, for links
  * @param mayRunJobs
  *   whether the user may run jobs: those who may also end jobs on Spark's own pages
  */
final case class SparkPageRequest(tab: String, parameter: String => Option[String], mayRunJobs: Boolean)

/** A page of Windrow's tab in Spark's UI. */
trait SparkPage {

  /** The path of the page below the tab; empty for the first page. */
  def path: String
  def title: String
  def content(request: SparkPageRequest): Seq[Node]
}

/** Adds Windrow's tab to Spark's UI. Its pages are `private[spark]` there. */
object SparkTab {
  private val Prefix = "windrow"

  /** Adds the tab to the UI of a running driver, once. Does nothing if Spark has no UI, or stores no queries in it. */
  def attach(session: SparkSession)(pages: (StoredRuns, LiveRuns) => Seq[SparkPage]): Unit = {
    val context = session.sparkContext
    if (context.getConf.getBoolean("spark.sql.streaming.ui.enabled", defaultValue = true))
      context.ui.foreach(attach(_)(pages(_, LiveRuns.of(session))))
  }

  private[windrow] def attach(ui: SparkUI)(pages: StoredRuns => Seq[SparkPage]): Unit = ui.synchronized {
    if (!ui.getTabs.exists(_.prefix == Prefix)) {
      val tab = new SparkUITab(ui, Prefix) {
        override def displayOrder: Int = 2 // after Spark's own tabs
      }
      pages(new StoredRuns(ui.store.store)).foreach(page => tab.attachPage(new ServedPage(ui, tab, page)))
      ui.attachTab(tab)
    }
  }

  private final class ServedPage(ui: SparkUI, tab: SparkUITab, page: SparkPage) extends WebUIPage(page.path) {
    def render(request: HttpServletRequest): Seq[Node] = {
      val address = UIUtils.prependBaseUri(request, tab.basePath, s"/$Prefix/")
      val mayEnd  = ui.killEnabled && ui.securityManager.checkModifyPermissions(request.getRemoteUser)
      val asked   = SparkPageRequest(address, name => Option(request.getParameter(name)), mayEnd)
      framed(request, page.title, page.content(asked))
    }

    /** Puts the content into Spark's frame. Its parameters after the fourth have defaults; Spark 4.2 added one. */
    private def framed(request: HttpServletRequest, title: String, content: Seq[Node]): Seq[Node] = {
      val frame = UIUtils.getClass.getMethods.find(_.getName == "headerSparkPage").get
      val defaults = (5 to frame.getParameterCount).map(n =>
        UIUtils.getClass.getMethod(s"headerSparkPage$$default$$$n").invoke(UIUtils))
      val arguments = Seq[AnyRef](request, title, () => content, tab) ++ defaults
      frame.invoke(UIUtils, arguments: _*).asInstanceOf[Seq[Node]]
    }
  }
}

/** Adds the tab to the pages of Spark's history server, which finds a subclass as a service. Spark fills the store. */
abstract class SparkHistoryTab extends AppHistoryServerPlugin {

  /** Whether the application ran a query of Windrow. */
  protected def isShown(runs: StoredRuns): Boolean

  protected def pages(runs: StoredRuns): Seq[SparkPage]

  final override def createListeners(conf: SparkConf, store: ElementTrackingStore): Seq[SparkListener] = Nil

  final override def setupUI(ui: SparkUI): Unit =
    if (isShown(new StoredRuns(ui.store.store))) SparkTab.attach(ui)(pages)
}
