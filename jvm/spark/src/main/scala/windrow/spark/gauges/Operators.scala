package windrow.spark.gauges

import org.apache.spark.sql.catalyst.plans.logical.{CollectMetrics, LogicalPlan, TransformWithState}
import windrow.spark.output.{CountColumns, OperatorNames, OutputColumns}
import windrow.spark.shards.WindowProcessor

/** The counts of each operator of a query.
  *
  * @param all
  *   an operator follows those whose output it reads
  * @param last
  *   the names of the operators whose output leaves the query
  * @param first
  *   the names of the operators that read only sources
  */
private[spark] final case class Operators(all: Seq[Operators.OperatorCounts], last: Set[String], first: Set[String]) {

  /** The number of rows that leave the query. */
  def emitted: Long = all.filter(one => last(one.name)).map(_.emitted).sum

  /** The operator to examine if the query emits nothing: the first one without output. If rows of all last operators
    * leave the query, it is the last one, regardless of earlier ones.
    */
  def examined: Operators.OperatorCounts =
    if (all.exists(one => last(one.name) && one.emitted == 0)) all.find(_.emitted == 0).getOrElse(all.last)
    else all.last

  /** Whether an operator reads the output of another one. */
  def isLater(one: Operators.OperatorCounts): Boolean = !first(one.name)
}

private[spark] object Operators {

  /** @param counts
    *   counts of rows by the names of the observed metrics
    * @param open
    *   the number of open windows, if it is known
    */
  final case class OperatorCounts(name: String, counts: Map[String, Long], open: Option[Long]) {
    val emitted: Long = Seq(CountColumns.Panes, CountColumns.Rows).flatMap(counts.get).sum
  }

  /** Returns how far the watermark of an operator is behind that of the query, in microseconds (SEMANTICS R95). */
  def lag(plan: LogicalPlan, operator: String): Long = plan.collectFirst {
    case one: CollectMetrics if OutputColumns.operator(one.name) == operator =>
      one.child.collectFirst { case shards: TransformWithState => shards.statefulProcessor: Any }.collect {
        case processor: WindowProcessor if !processor.lag.isEndless => processor.lag.value
      }
  }.flatten.getOrElse(0L)

  /** Returns the operators, or None if there are fewer than two. The plan of a running query shows their order. Without
    * it, an operator that reads fewer rows counts as the later one.
    *
    * @param counts
    *   by operator, counts of rows
    * @param open
    *   by operator, the number of open windows
    */
  def of(
      counts: Map[String, Map[String, Long]],
      open: Map[String, Long],
      plan: Option[LogicalPlan]): Option[Operators] =
    Option.when(counts.sizeIs > 1) {
      val order = plan.fold(Seq.empty[String])(OperatorNames.of).zipWithIndex.toMap
      val all = counts.toSeq.map { case (name, of) => OperatorCounts(name, of, open.get(name)) }
        .sortBy(one => (order.getOrElse(one.name, 0), -one.counts.getOrElse(CountColumns.Read, 0L), one.name))
      Operators(
        all,
        plan.fold(Set(all.last.name))(OperatorNames.last),
        plan.fold(Set(all.head.name))(OperatorNames.first))
    }
}
