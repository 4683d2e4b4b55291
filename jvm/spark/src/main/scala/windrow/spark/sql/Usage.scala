package windrow.spark.sql

import org.apache.spark.sql.catalyst.analysis.TableFunctionRegistry.TableFunctionBuilder
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo
import org.apache.spark.sql.windrow.RefusedInSql
import windrow.CheckpointError
import windrow.SpecError
import windrow.WindowFunction

/** The texts of `DESCRIBE FUNCTION`, and the conversion of errors to SQL errors. */
private[spark] object Usage {
  private val Code = """(?s)\[([A-Z][A-Z0-9_]*)\] .*""".r

  private val Class = "windrow"

  private val OfAll =
    """
    Arguments are named constants: time => 'column', watermark => '1 minute', lateness => '10 minutes',
    accumulation_mode => 'accumulating', early => '10 seconds', output => 'panes' and more; see docs/sql.md.
    """

  private val Sentences = Map(
    "windrow_policy"          -> "windows that messages and processing time move",
    "windrow_join"            -> "joins streams within a range of event time, or by windows",
    "windrow_cogroup"         -> "several streams as one, with a struct for each",
    "windrow_until"           -> "a query that ends once its folder has a line of text",
    "windrow_version"         -> "the version of windrow's JAR",
    "windrow_verify"          -> "what of a checkpoint is not as it was written",
    "windrow_advise"          -> "which lateness would have caught how much of what a query has read",
    "windrow_get_windows"     -> "the windows that a checkpoint keeps",
    "windrow_get_messages"    -> "the messages that a checkpoint keeps",
    "windrow_pending"         -> "what of a checkpoint's windows has not come out yet",
    "windrow_restart_offsets" -> "the offsets from which a checkpoint's messages could be read again")

  /** Describes a function. */
  def info(name: String): ExpressionInfo = Sentences.get(name).fold(
    info(name, "_FUNC_: what windrow itself calls; it may change.", more = ""))(sentence =>
    info(name, s"_FUNC_(...) - $sentence.", more = ""))

  /** Describes the function of a kind of windows. */
  def info(of: WindowFunction): ExpressionInfo = {
    val own = "TABLE(SELECT ... GROUP BY ...)" +: of.arguments.map(_ + " => ...") :+ "..."
    info(of.name, s"_FUNC_(${own.mkString(", ")}) - ${of.sentence}.", OfAll)
  }

  private def info(name: String, usage: String, more: String): ExpressionInfo =
    new ExpressionInfo(Class, null, name, usage, more, "", "", "", "", "", "")

  /** Converts errors to analysis errors of Spark. */
  def refusing(builder: TableFunctionBuilder): TableFunctionBuilder = arguments =>
    try builder(arguments)
    catch {
      case wrong: SpecError => throw new RefusedInSql(wrong.problems.head.code, wrong.getMessage, Some(wrong))
      case wrong @ (_: IllegalArgumentException | _: CheckpointError) => throw (wrong.getMessage match {
          case Code(code) => new RefusedInSql(code, wrong.getMessage, Some(wrong))
          case _          => wrong
        })
    }
}
