package windrow.spark.replay

import org.apache.spark.sql.Column
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.Row
import org.apache.spark.sql.functions._
import windrow.spark.query.StateReader
import windrow.replay._

/** What a transcript runs, as a query: the plan that it gives, and how its rows are read. */
private[replay] trait StepOperator {

  /** `kind`, and for each kind of rows a struct of its name. */
  def output(input: StepInput): DataFrame

  /** @param rows
    *   of a kind
    */
  def emission(rows: String => Seq[Row]): Emission

  def rows(feed: Step.Feed): Seq[InputRow] = feed.messages.map(InputRow.of)

  /** Whether steps of one processing time are micro-batches of one time: else each is a little later than the one before. */
  def restsInTime: Boolean = false
}

/** One whose state can be asked from outside. */
private[replay] trait Asked {

  /** @param state
    *   what the query keeps; None before its first step
    */
  def ask(query: Query, state: => Option[StateReader]): Answer
}

private[replay] object StepOperator {

  /** The aggregates of transcripts are Spark's.
    *
    * @param counts
    *   null for a message that is not to be aggregated
    */
  def aggregates(named: Seq[(String, String)], counts: Column = lit(true)): Seq[Column] = {
    val value = when(counts, col("value"))
    named.map { case (name, function) =>
      (function match {
        case "count"   => count(counts)
        case "collect" => collect_list(value)
        case other     => call_function(other, value)
      }).as(name)
    }
  }

  def values(named: Seq[(String, String)])(pane: Row): Map[String, Value] =
    named.map { case (name, _) => name -> StepRows.value(pane.getAs[Any](name)) }.toMap
}
