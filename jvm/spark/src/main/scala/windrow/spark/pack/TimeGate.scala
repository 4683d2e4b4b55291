package windrow.spark.pack

import java.util.concurrent.ConcurrentLinkedQueue
import org.apache.spark.PartitionEvaluatorFactory
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{
  ArrowEvalPython, BaseEvalPython, BatchEvalPython, LogicalPlan, Project, UnaryNode
}
import org.apache.spark.sql.execution.python.{ArrowEvalPythonExec, BatchEvalPythonExec}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

/** Restricts calls of the Python functions above it to rows that have an event time (SEMANTICS R94). Spark extracts
  * Python functions from expressions, including conditions, so a condition cannot do that.
  *
  * @param time
  *   null if the row lacks an event time
  */
private[spark] final case class TimeGate(time: Attribute, child: LogicalPlan) extends UnaryNode {
  override def output: Seq[Attribute] = child.output

  override protected def withNewChildInternal(newChild: LogicalPlan): LogicalPlan = copy(child = newChild)
}

private[spark] object TimeGate {

  /** Plans the Python functions above such a node. */
  def planned(python: BaseEvalPython, later: LogicalPlan => SparkPlan): Option[SparkPlan] =
    timeOf(python.child).zip(callsOf(python)).map { case (time, calls) =>
      val child = later(python.child)
      GatedPythonExec(time, python.output, calls(child), child)
    }

  private def callsOf(python: BaseEvalPython): Option[SparkPlan => SparkPlan] = Some(python).collect {
    case BatchEvalPython(functions, results, _)     => BatchEvalPythonExec(functions, results, _)
    case ArrowEvalPython(functions, results, _, of) => ArrowEvalPythonExec(functions, results, _, of)
  }

  private def timeOf(plan: LogicalPlan): Option[Attribute] = plan match {
    case TimeGate(time, _)      => Some(time)
    case Project(_, child)      => timeOf(child).filter(plan.outputSet.contains)
    case before: BaseEvalPython => timeOf(before.child)
    case _                      => None
  }
}

/** Calls Python functions for rows with an event time.
  *
  * @param calls
  *   Spark's own node, of which only the evaluation of a partition is used. It is not part of the plan, so Spark does not
  *   replace the logical plan below it, and a task that contains it could not be serialized.
  */
private[spark] final case class GatedPythonExec(
    time: Attribute,
    output: Seq[Attribute],
    @transient calls: SparkPlan,
    child: SparkPlan)
    extends UnaryExecNode {
  override def producedAttributes: AttributeSet = AttributeSet(output) -- child.outputSet

  protected override def doExecute(): RDD[InternalRow] = {
    val node      = calls.withNewChildren(Seq(child))
    val evaluator = node.getClass.getMethod("evaluatorFactory").invoke(node).asInstanceOf[GatedPythonExec.Factory]
    val (of, under, above) = (time, child.output, output)
    child.execute().mapPartitionsWithIndex((number, rows) =>
      new GatedCalls(of, under, above).all(number, rows, evaluator))
  }

  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan = copy(child = newChild)
}

private object GatedPythonExec {
  type Factory = PartitionEvaluatorFactory[InternalRow, InternalRow]
}

/** Routes rows without an event time around the calls. Another thread reads the rows for which functions are called. */
private final class GatedCalls(time: Attribute, under: Seq[Attribute], above: Seq[Attribute]) {
  private val isTimeless        = Predicate.create(IsNull(time), under)
  private val around            = new ConcurrentLinkedQueue[InternalRow]
  private val project           = UnsafeProjection.create(above, above)
  private val (joined, nothing) = (new JoinedRow, new GenericInternalRow(above.size - under.size))

  def all(number: Int, rows: Iterator[InternalRow], calls: GatedPythonExec.Factory): Iterator[InternalRow] = {
    val called = calls.createEvaluator().eval(number, rows.map(_.copy()).filterNot(leadAround))
    new Iterator[InternalRow] {
      def hasNext: Boolean    = !around.isEmpty || called.hasNext || !around.isEmpty
      def next(): InternalRow = Option(around.poll()).fold(called.next())(row => project(joined(row, nothing)))
    }
  }

  private def leadAround(row: InternalRow): Boolean = isTimeless.eval(row) && around.add(row)
}
