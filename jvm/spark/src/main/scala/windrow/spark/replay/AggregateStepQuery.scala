package windrow.spark.replay

import org.apache.spark.sql.Column
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.Row
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.functions._
import windrow.testkit._

/** Windows of aggregates. */
private[replay] final class AggregateStepQuery(
    session: SparkSession,
    transcript: TranscriptCase,
    aggregate: OperatorSpec.Aggregate,
    checkpoint: String)
    extends StepQuery(session, transcript, aggregate.spec.window, checkpoint) {

  protected def operator(messages: DataFrame, marked: Seq[(String, String)]): DataFrame = {
    val aggregates = aggregate.aggregates.map { case (name, function) => StepQuery.aggregate(function).as(name) } ++
      marked.map { case (name, column) => first(column).as(s"__windrow_$name") }
    applied(messages.groupBy("key").agg(aggregates.head, aggregates.tail: _*))
  }

  def ask(query: Query): Answer = Answer.Refused("NO_MESSAGE_STORE")

  protected def contents: Seq[Column] = aggregate.aggregates.map { case (name, _) => col(s"panes.`$name`") }

  protected def content(row: Row, at: Int): Content = Content.Values(
    aggregate.aggregates.zipWithIndex.map { case ((name, _), i) => name -> StepQuery.value(row.get(at + i)) }.toMap,
    Option.when(aggregate.spec.window.isInstanceOf[windrow.Over])(overMessage(row)))
}
