package windrow.spark.standalone

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.types._
import windrow.operators.{Context, PartitionEvent, PolicyOutput, PolicyWindowOperator, WindowListener}
import windrow.spark.output.OutputColumns
import windrow.{Eviction, PolicyWindowSpec}

/** The operator of policy windows. Listeners are Python objects. If there are any, events are stored here until Python
  * reads them.
  */
final class Policies private[standalone] (
    session: SparkSession,
    spec: PolicyWindowSpec,
    input: Input,
    format: RowFormat,
    val fold: SqlAggregates,
    columns: Map[String, Expression])
    extends StandaloneOperator(
      session,
      Vector(input),
      Seq(s"${spec.eviction}", fold.stated(input), input.stated),
      fold.read) {

  protected type Output  = PolicyOutput[UnsafeRow, Message, InternalRow]
  protected type Running = PolicyWindowOperator[UnsafeRow, Message, fold.Buffer, InternalRow]

  private val fields = columns.map { case (name, column) =>
    name -> UnsafeProjection.create(Seq(column), input.attributes)
  }
  private var leaving   = Option.empty[UnsafeRow] // the partition that a listener evicts
  private var hasEvents = false
  private var events    = Vector.empty[PartitionEvent[UnsafeRow, Message]]

  private def number(start: Expression, end: Expression): Expression = {
    val _ = end
    OutputColumns.structOf("number" -> start)
  }

  private val panes = PaneTable.aggregates(input, number, isOver = false, format, fold)

  private def measure(message: Message, column: String): Double = fields(column)(message.row).getDouble(0)

  private def isMarker(message: Message): Boolean = spec.eviction match {
    case Eviction.ByPunctuation(column) =>
      val mark = fields(column)(message.row)
      !mark.isNullAt(0) && mark.getBoolean(0)
    case _ => false
  }

  protected def make(context: Context[Message, Output]): Running = {
    val made = new PolicyWindowOperator[UnsafeRow, Message, fold.Buffer, InternalRow](
      spec,
      format,
      fold.aggregation,
      fold.lift,
      context,
      input.name,
      measure,
      isMarker,
      isKeyed = input.key.nonEmpty,
      hasEvents = false)
    made.addListener(new WindowListener[UnsafeRow, Message] {
      override private[windrow] def hears: Boolean                 = hasEvents
      def onEvent(event: PartitionEvent[UnsafeRow, Message]): Unit = events :+= event
      override def onDrain(): Unit                                 = leaving.foreach(made.evictPartition)
    })
    made
  }

  protected def written(outputs: Seq[Output]): Array[Byte] = panes.table.write(outputs.iterator.collect {
    case PolicyOutput.Fired(pane) => panes.row(pane, PaneTable.values(fold, pane.value))
  })

  private val told = {
    val keys     = OutputTable.valuesOfKey(input)
    val number   = OutputTable.value("number", LongType, nullable = false)
    val event    = OutputTable.value("event", StringType, nullable = false)
    val sequence = OutputTable.value("sequence", LongType, nullable = false)
    val messages = OutputTable.value("messages", ArrayType(input.schema, containsNull = false), nullable = false)
    val window   = Alias(OutputColumns.structOf("number" -> number), "window")()
    new OutputTable(
      (keys :+ number :+ event) ++ Seq(sequence, messages),
      (keys :+ window :+ event) ++ Seq(sequence, messages))
  }

  /** Starts storing events. */
  def listen(): Unit = hasEvents = true

  /** Returns the events since the last call, in order: key, `window`, `event`, `sequence`, `messages`. */
  def happened(): Array[Byte] = active {
    val some = events
    events = Vector.empty
    told.write(some.iterator.map(event =>
      (OutputTable.ofKey(input, event.key) ++ Seq[Any](
        event.window,
        OutputTable.text(event.kind),
        event.sequence,
        OutputTable.array(event.messages.map(_.row)))).toArray))
  }

  /** Discards earlier events, because listeners are not informed about rows that a reset drops (SEMANTICS R60). Events
    * that are overdue after the reset stay.
    */
  override protected def discarding(reset: => Unit): Unit = {
    val earlier = events.size
    reset
    events = events.drop(earlier)
  }

  /** Returns the keys of the existing partitions. */
  def partitions(): Array[Byte] = active {
    val keys = OutputTable.valuesOfKey(input)
    new OutputTable(keys, keys).write(running.partitions().iterator.map(OutputTable.ofKey(input, _).toArray))
  }

  def needsPartitionEviction(): Boolean = running.needsPartitionEviction()

  /** Drains, and evicts the partition of a key: a table of one row with the columns of `keyColumns`. */
  def drain(evicted: Array[Byte]): Unit = active {
    leaving = keyOf(evicted)
    try drain()
    finally leaving = None
  }
}
