package windrow.spark.ui

import scala.xml.{Elem, Node, NodeSeq}
import windrow.spark.gauges.FigureText.{count, instant, size, span}
import windrow.spark.gauges.{Cause, Levels, Operators}
import windrow.spark.output.{CountColumns, OutputSchema}

/** The parts of the pages. `scala.xml` escapes every text. */
private[ui] object Parts {
  import CountColumns._

  /** Wraps a page. Long names break, so that a phone shows them without scrolling sideways. */
  def page(parts: Node*): Seq[Node] = Seq(<div class="windrow"><style>{Style}</style>{parts}</div>)

  private val Style = Seq(
    ".windrow{overflow-wrap:anywhere}",
    ".windrow svg{width:100%;height:auto;max-width:520px}",
    ".windrow dl{display:grid;grid-template-columns:minmax(6em,auto) 1fr;gap:2px 12px;margin:0 0 8px}",
    ".windrow dt{font-weight:600}",
    ".windrow dd{margin:0}",
    ".windrow section{border:1px solid #8b949e66;border-radius:6px;padding:12px;margin-bottom:12px}",
    ".windrow .charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(320px,100%),1fr));gap:12px}",
    ".windrow .charts section{margin:0}",
    ".windrow .legend{white-space:nowrap;margin-right:12px}",
    ".windrow .cause{border-left:4px solid #dd6b20;padding-left:8px;margin:8px 0}").mkString

  /** Shows the causes why a query emits nothing. */
  def causes(all: Seq[Cause]): NodeSeq = all.map { cause =>
    <div class="cause"><b>{cause.code}</b>{s": ${cause.meaning}"}<br/>{s"→ ${cause.remedy}"}</div>
  }

  /** Shows named values, without those that are empty. */
  def values(all: (String, String)*): Elem =
    <dl>{all.filter(_._2.nonEmpty).map { case (name, value) => <dt>{name}</dt><dd>{value}</dd> }}</dl>

  /** Returns the values of a run that both pages show. */
  def summary(view: RunView): Seq[(String, String)] = {
    val status = view.status
    Seq(
      "run"          -> view.run.runId.toString,
      "state"        -> (view.state + status.last.fold("")(last => s", micro-batch ${last.batch}")),
      "operators"    -> operators(view),
      "read"         -> count(status.count(Read)),
      "accepted"     -> count(status.count(Accepted)),
      "rejected"     -> total(view, Rejected, OutputSchema.Counts.byReason),
      "panes"        -> total(view, Panes, OutputSchema.Counts.kinds),
      "rows"         -> (if (status.count(Rows) > 0) count(status.count(Rows)) else ""),
      "open windows" -> Option.when(status.open.nonEmpty)(count(status.open.values.sum)).getOrElse(""),
      "state size" -> status.last.fold("")(_ =>
        s"${size(status.levels(Levels.StateBytes))} in memory, ${size(status.levels(Levels.StateFileBytes))} in files"),
      "watermark" -> watermark(view))
  }

  private def operators(view: RunView): String = view.operators.map(_.name).mkString(", ") +
    (if (view.operators.sizeIs > 1) " (counts are their sums)" else "")

  /** Returns the counts of an operator in a line. */
  def counts(of: Operators.OperatorCounts): String = {
    val shown = Ordered.map(name => name -> of.counts.getOrElse(name, 0L)).filter(one => one._2 > 0 || one._1 == Read)
    (shown ++ of.open.map("open windows" -> _)).map { case (name, n) => s"${label(name)} ${count(n)}" }.mkString(", ")
  }

  private val Ordered = Seq(Read, Accepted, Rejected, Duplicates, Gaps, Replaced, Panes, Rows)

  private def total(view: RunView, name: String, parts: Seq[String]): String = {
    val shown = parts.map(part => part -> view.status.count(part)).filter(_._2 > 0)
    val named = shown.map { case (part, n) => s"${label(part)} ${count(n)}" }.mkString(", ")
    count(view.status.count(name)) + (if (named.isEmpty) "" else s" ($named)")
  }

  private def watermark(view: RunView): String = view.status.watermark.fold("none yet")(mark =>
    instant(mark * 1000) + view.status.behind.fold("")(behind => s", ${span(behind * 1000)} behind the newest row"))

  /** Returns the name of a count as words. */
  def label(name: String): String = name.replace('_', ' ')
}
