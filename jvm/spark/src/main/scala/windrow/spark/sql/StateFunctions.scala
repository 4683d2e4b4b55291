package windrow.spark.sql

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.TableFunctionRegistry.TableFunctionBuilder
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.streaming.StreamingQuery
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.windrow.{RunningQuery, SparkInside}
import org.apache.spark.sql.{DataFrame, SparkSession}
import scala.util.Try
import windrow.advice.Advice
import windrow.spark.arguments.NamedConstants
import windrow.spark.query.{AdviceRows, StateReader}
import windrow.{CheckpointError, ErrorConditions, SpecError, SpecProblem}

/** Table functions that read a checkpoint, such as `windrow_get_windows('path', start => …)`; see
  * [[windrow.spark.State]]. Keys are structs: `key => named_struct('product', 'a')`.
  */
private[spark] object StateFunctions {
  private val Range = Seq("start", "end")

  val All: Seq[(String, TableFunctionBuilder)] = Seq(
    "windrow_get_windows" -> looking("windrow_get_windows", Range :+ "key") { (state, arguments) =>
      state.getWindows(arguments.bound("start"), arguments.bound("end"), arguments.keys("key"))
    },
    "windrow_get_messages" -> looking("windrow_get_messages", Range ++ Seq("by", "key")) {
      (state, arguments) =>
        state.getMessages(arguments.bound("start"), arguments.bound("end"), arguments.keys("by"), arguments.keys("key"))
    },
    "windrow_get_keys" -> looking("windrow_get_keys", Seq("key")) { (state, arguments) =>
      state.getKeys(arguments.keys("key"))
    },
    "windrow_pending"         -> looking("windrow_pending", Nil)((state, _) => state.pending()),
    "windrow_restart_offsets" -> looking("windrow_restart_offsets", Nil)((state, _) => state.restartOffsets()))

  /** `windrow_advise('path', catch => 0.999)` shows which lateness would have included how many rows: the recommended
    * one, the query's own (`present`), and those for other shares. `query => id` names a running query instead of a
    * path.
    */
  val Advise: (String, TableFunctionBuilder) = "windrow_advise" -> { expressions =>
    val arguments = read("windrow_advise", expressions, Seq("checkpoint", "operator", "catch", "query"), Seq("query"))
    val session   = SparkSession.active
    val path      = arguments.text("checkpoint").getOrElse(checkpointOf(session, arguments.text("query").get))
    val share = arguments.values.get("catch").map(_.value.toString).fold(Advice.Share)(text =>
      text.toDoubleOption.getOrElse(throw wrong("windrow_advise", "SHARE_NOT_UNDERSTOOD", "value" -> text)))
    val advice = new StateReader(session, path, arguments.text("operator"), whole = true).advise(share)
    AdviceRows(advice)
  }

  private def checkpointOf(session: SparkSession, id: String): String = RunningQuery.checkpoint(running(session, id))

  /** Returns a running query of the session. */
  def running(session: SparkSession, id: String): StreamingQuery =
    Try(session.streams.get(id)).toOption.filter(_ != null).getOrElse(
      throw new CheckpointError(ErrorConditions.message("QUERY_NOT_RUNNING", "id" -> id)))

  private def looking(function: String, own: Seq[String])(ask: (StateReader, Arguments) => DataFrame)(
      expressions: Seq[Expression]): LogicalPlan = {
    val arguments = read(function, expressions, Seq("checkpoint", "operator") ++ own)
    SparkInside.plan(ask(
      new StateReader(SparkSession.active, arguments.text("checkpoint").get, arguments.text("operator")),
      arguments))
  }

  /** The arguments of a function. */
  private final case class Arguments(function: String, values: Map[String, Literal]) {
    def bound(name: String): Literal       = values.getOrElse(name, Literal(null))
    def text(name: String): Option[String] = values.get(name).map(_.value.toString)

    def keys(name: String): Map[String, Literal] = values.get(name).fold(
      Map.empty[String, Literal]) {
      case Literal(row: InternalRow, of: StructType) =>
        of.zipWithIndex.map { case (field, i) =>
          field.name -> Literal(if (row.isNullAt(i)) null else row.get(i, field.dataType), field.dataType)
        }.toMap
      case other =>
        throw wrong(function, "KEYS_NOT_UNDERSTOOD", "name" -> name, "value" -> other.sql)
    }
  }

  private def read(
      function: String,
      expressions: Seq[Expression],
      allowed: Seq[String],
      instead: Seq[String] = Nil): Arguments = {
    val named           = NamedConstants.naming("checkpoint", expressions)
    val (values, found) = NamedConstants.literals(named, allowed)
    val all =
      found ++ Option.unless(("checkpoint" +: instead).exists(values.contains))(SpecProblem("CHECKPOINT_MISSING"))
    if (all.nonEmpty) throw SpecError(function, all)
    Arguments(function, values)
  }

  private def wrong(function: String, condition: String, parameters: (String, Any)*): SpecError =
    SpecError(function, Seq(SpecProblem(condition, parameters: _*)))
}
