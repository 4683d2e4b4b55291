package windrow.spark.sql

import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo}
import org.apache.spark.sql.windrow.SqlCallError
import windrow.spark.functions.{Increase, Lag, TimeInState, TimeWeightedAverage, TopN}
import windrow.{CheckpointError, SpecError, WindowFunction}

/** The texts of `DESCRIBE FUNCTION`, and the conversion of errors to SQL errors. */
private[spark] object Usage {
  private val Code = """(?s)\[([A-Z][A-Z0-9_]*)\] .*""".r

  private val Class = "windrow"

  private val Page = "See the page reference/sql-functions."

  private val OfAll =
    """
    Arguments are named constants: time => 'column', watermark => '1 minute', lateness => '10 minutes',
    accumulation_mode => 'accumulating', early => '10 seconds', output => 'panes' and more.
    """

  private val Sentences = Map(
    "windrow_policy"          -> "windows that fire and remove rows by policies",
    "windrow_dedup"           -> "the first or the last row of each group of duplicates",
    "windrow_match"           -> "the matches of a pattern in the rows of each key, corrected by late rows",
    "windrow_join"            -> "rows of several streams, joined within a range of event time or by windows",
    "windrow_asof_join"       -> "each row of a stream with the nearest row of another stream, corrected by late rows",
    "windrow_cogroup"         -> "rows of several streams in one table, with a struct for each stream",
    TopN.Name                 -> "the first rows of a group in an order, as an array",
    Lag.Name                  -> "the value of an earlier row, in the windows of windrow_over with rows",
    TimeWeightedAverage.Name  -> "the average of a value, weighted by the time for which it holds",
    TimeInState.Name          -> "the seconds spent in each state, as a map",
    Increase.Name             -> "the increase of a counter that restarts at 0",
    "windrow_until"           -> "a stream that ends when its folder contains a line of text",
    "windrow_version"         -> "the version of Windrow's JAR",
    "windrow_verify"          -> "the missing and damaged files of a checkpoint",
    AccelerationFunction.Name -> "for each stateful operator of an unchanged query, whether Windrow runs it",
    "windrow_advise"          -> "a recommended lateness, from the rows that a query has read",
    "windrow_get_windows"     -> "the windows stored in a checkpoint",
    "windrow_get_messages"    -> "the rows stored in a checkpoint",
    "windrow_get_keys"        -> "the keys stored in a checkpoint of a deduplication or a pattern",
    "windrow_pending"         -> "the results of a checkpoint's windows that are not emitted yet",
    "windrow_restart_offsets" -> "the offsets from which a checkpoint's rows can be read again")

  /** Describes a function. */
  def info(name: String): ExpressionInfo = Sentences.get(name).fold(
    info(name, "_FUNC_: internal to Windrow; it may change.", more = ""))(sentence =>
    info(name, s"_FUNC_(...) - $sentence. $Page", more = ""))

  /** Describes the function of a kind of windows. */
  def info(of: WindowFunction): ExpressionInfo = {
    val own = "TABLE(SELECT ... GROUP BY ...)" +: of.arguments.map(_ + " => ...") :+ "..."
    info(of.name, s"_FUNC_(${own.mkString(", ")}) - ${of.sentence}. $Page", OfAll)
  }

  private def info(name: String, usage: String, more: String): ExpressionInfo =
    new ExpressionInfo(Class, null, name, usage, more, "", "", "", "", "", "")

  /** Converts errors to analysis errors of Spark. */
  def refusing[T](builder: Seq[Expression] => T): Seq[Expression] => T = arguments =>
    try builder(arguments)
    catch {
      case wrong: SpecError => throw new SqlCallError(wrong.problems.head.code, wrong.getMessage, Some(wrong))
      case wrong @ (_: IllegalArgumentException | _: CheckpointError) => throw (wrong.getMessage match {
          case Code(code) => new SqlCallError(code, wrong.getMessage, Some(wrong))
          case _          => wrong
        })
    }
}
