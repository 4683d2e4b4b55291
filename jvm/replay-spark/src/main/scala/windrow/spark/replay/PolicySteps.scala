package windrow.spark.replay

import org.apache.spark.sql.functions._
import org.apache.spark.sql.{Column, DataFrame, Row}
import windrow.replay._
import windrow.spark.Windrow
import windrow.{ByDelta, Eviction, PolicyWindowSpec}

/** Runs policy windows with their events. */
private[replay] final class PolicySteps(spec: PolicyWindowSpec, aggregates: Seq[(String, String)])
    extends StepOperator {
  private var keys = Set.empty[Scalar]
  private var sent = 0L

  /** Renames the columns of the policy, because a transcript has only one measured column and one column of markers,
    * with fixed names.
    */
  private val eviction = spec.eviction match {
    case Eviction.ByPunctuation(_)     => Eviction.ByPunctuation("marker")
    case Eviction.Tumbling(by)         => Eviction.Tumbling(ofValue(by))
    case Eviction.Sliding(by, trigger) => Eviction.Sliding(ofValue(by), ofValue(trigger))
  }

  private def ofValue(by: windrow.By) = by match {
    case ByDelta(_, delta) => ByDelta("value", delta)
    case other             => other
  }

  def output(input: StepInput): DataFrame = {
    val columns = StepOperator.aggregates(aggregates, when(!PolicySteps.isMark, lit(true)))
    Windrow.stream(input.table(), key = Seq("key"), rowId = Some(StepInput.Identity))
      .policy(eviction, spec.limits).aggregate(columns.head, columns.tail: _*).output
  }

  def emission(rows: String => Seq[Row]): Emission = Emission(
    panes = rows("panes").map(StepRows.pane(_, pane => Content.Values(StepOperator.values(aggregates)(pane)))),
    rejected = rows("rejected").map(StepRows.rejected(_, Nil)),
    events = rows("events").filterNot(PolicySteps.isOfMark).sortBy(_.getAs[Long]("sequence")).map(event))

  private def event(row: Row) = PolicyEvent(
    StepRows.key(row),
    PolicyEvent.Kinds.find(_.toString == row.getAs[String]("event")).get,
    PolicySteps.messages(row).map(StepRows.scalar))

  override def restsInTime: Boolean = true

  /** Adds an identity to rows without one, in the order in which they are applied. The punctuation of a step is not a
    * row, but a query supports only rows: one for each key follows the rows of the step and is hidden in the output.
    */
  override def rows(feed: Step.Feed): Seq[InputRow] = {
    keys ++= feed.messages.map(_.key)
    val messages = feed.messages.sorted(Message.ByPosition).map(message =>
      if (message.identity.isDefined) InputRow.of(message)
      else InputRow.of(message).copy(partition = Some(-1), offset = Some(next())))
    val isMarked = feed.punctuation && eviction.isInstanceOf[Eviction.ByPunctuation]
    val markers = if (!isMarked) Nil
    else keys.toSeq.map(key =>
      InputRow(
        key = Some(InputRow.key(key)),
        partition = Some(PolicySteps.OfMark),
        offset = Some(next()),
        marker = true))
    messages ++ markers
  }

  private def next(): Long = {
    sent += 1
    sent
  }
}

private object PolicySteps {

  /** The partition of rows that represent the punctuation of a step. */
  private val OfMark = Int.MaxValue

  private def isMark: Column = coalesce(col("partition") === OfMark, lit(false))

  /** Whether an event is the insertion of such a row. */
  private def isOfMark(event: Row): Boolean =
    event.getAs[String]("event") == PolicyEvent.Insertion.toString && messages(event).isEmpty

  private def messages(event: Row): Seq[Row] = event.getSeq[Row](event.fieldIndex("messages"))
    .filterNot(message => StepRows.number(message, "partition").contains(OfMark.toLong)).toSeq
}
