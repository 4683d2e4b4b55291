package windrow.spark.replay

import org.apache.spark.sql.functions._
import org.apache.spark.sql.{Column, DataFrame, Row}
import windrow.replay._
import windrow.spark.query.StateReader

/** Runs the operator of a transcript as a query: defines its plan, and reads its rows. */
private[replay] trait StepOperator {

  /** Returns `kind`, and for each kind of rows a struct with its name. */
  def output(input: StepInput): DataFrame

  /** Reads the output of a step.
    *
    * @param rows
    *   returns the rows of a kind
    */
  def emission(rows: String => Seq[Row]): Emission

  def rows(feed: Step.Feed): Seq[InputRow] = feed.messages.map(InputRow.of)

  /** Whether steps with equal processing times are micro-batches with equal times. Otherwise each is slightly later
    * than the previous one.
    */
  def restsInTime: Boolean = false
}

/** An operator whose state can be queried from outside. */
private[replay] trait Asked {

  /** Answers a query of the state.
    *
    * @param state
    *   reads the state of the query; None before its first step
    */
  def ask(query: Query, state: => Option[StateReader]): Answer
}

private[replay] object StepOperator {

  /** Returns the aggregates of a transcript as Spark's aggregates.
    *
    * @param counts
    *   null for a row that is not aggregated
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
