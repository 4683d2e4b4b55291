package windrow.spark.sql

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.TableFunctionRegistry.TableFunctionBuilder
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan}
import org.apache.spark.sql.streaming.StreamingQuery
import org.apache.spark.sql.types.{BooleanType, StringType, StructType}
import org.apache.spark.sql.windrow.{RunningQuery, SparkInside}
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.unsafe.types.UTF8String
import scala.util.Try
import windrow.spark.arguments.{NamedConstants, TableArguments}
import windrow.spark.query.{AdviceRows, StateReader}
import windrow.spark.running.{BeforeStart, Claim, FilesOf, ResumeCheck, Started}
import windrow.{CheckpointError, ErrorConditions, SpecError, SpecProblem}

/** Table functions that read a checkpoint, such as `windrow_get_windows('path', start => …)`; see
  * [[windrow.spark.State]]. Keys are structs: `key => named_struct('product', 'a')`.
  */
private[spark] object StateFunctions {
  private val Range = Seq("start", "end")

  val All: Seq[(String, TableFunctionBuilder)] = Seq(
    "windrow_get_windows" -> looking("windrow_get_windows", Range :+ "key") { (state, said) =>
      state.getWindows(said.bound("start"), said.bound("end"), said.keys("key"))
    },
    "windrow_get_messages" -> looking("windrow_get_messages", Range ++ Seq("by", "key")) {
      (state, said) =>
        state.getMessages(said.bound("start"), said.bound("end"), said.keys("by"), said.keys("key"))
    },
    "windrow_pending"         -> looking("windrow_pending", Nil)((state, _) => state.pending()),
    "windrow_restart_offsets" -> looking("windrow_restart_offsets", Nil)((state, _) => state.restartOffsets()))

  /** `_windrow_continues(TABLE(...), checkpoint => 'path')` fails if the streaming table cannot continue from the
    * checkpoint. Otherwise it returns a row: warnings, whether an operator of the table has a period, and the files
    * that a start would create. With `files`, `into` (JSON, see [[FilesOf]]), `drain` and `name`, it also checks
    * everything else that could make a start fail.
    */
  val Continues: (String, TableFunctionBuilder) = "_windrow_continues" -> { expressions =>
    val allowed = Seq("checkpoint", "drain", "files", "into", "name")
    val said    = TableArguments.read("_windrow_continues", expressions, allowed).checked("_windrow_continues")
    val session = SparkSession.active
    def stated(name: String): Option[String] = said.values.get(name).map(_.toString)
    val told = stated("checkpoint").map { path =>
      val files = stated("files").map(FilesOf.read)
      val warnings = files.fold(ResumeCheck.check(session, said.table, path).toSeq) { into =>
        val tables = stated("into").fold(Map.empty[String, String])(FilesOf.names)
        val start  = Started(path, stated("drain").contains("true"), into, tables, stated("name"))
        BeforeStart.check(session, said.table, start)
      }
      warnings -> new Claim(session, path, files.getOrElse(Nil).map(_.path)).missing
    }
    LocalRelation(
      Seq(
        AttributeReference("warnings", StringType)(),
        AttributeReference("has_periods", BooleanType)(),
        AttributeReference("missing", StringType)()),
      told.map { case (warnings, missing) =>
        InternalRow(
          UTF8String.fromString(warnings.mkString("\n")),
          ResumeCheck.hasPeriods(said.table),
          UTF8String.fromString(missing.mkString("\n")))
      }.toSeq)
  }

  /** `_windrow_claim('path', files => '…', drain => '…')` creates the files that a start creates before Spark starts
    * the query, and returns the id of the query. With `missing`, the result of `_windrow_continues`, it removes those
    * files instead and returns null if the query has already started.
    */
  val Claims: (String, TableFunctionBuilder) = "_windrow_claim" -> { expressions =>
    val said = read("_windrow_claim", expressions, Seq("checkpoint", "files", "drain", "missing"))
    val claim =
      new Claim(SparkSession.active, said.text("checkpoint").get, FilesOf.read(said.text("files").get).map(_.path))
    val id = said.text("missing") match {
      case None       => Some(claim.take(said.text("drain").contains("true")))
      case Some(made) => Option.when(claim.giveBack(made.linesIterator.toSeq))("")
    }
    LocalRelation(
      Seq(AttributeReference("query", StringType)()),
      Seq(InternalRow(id.map(UTF8String.fromString).orNull)))
  }

  /** `windrow_advise('path', catch => 0.999)` shows which lateness would have included how many rows: the recommended
    * one, the query's own (`present`), and those for other shares. `query => id` names a running query instead of a
    * path.
    */
  val Advise: (String, TableFunctionBuilder) = "windrow_advise" -> { expressions =>
    val said    = read("windrow_advise", expressions, Seq("checkpoint", "operator", "catch", "query"), Seq("query"))
    val session = SparkSession.active
    val path    = said.text("checkpoint").getOrElse(checkpointOf(session, said.text("query").get))
    val share = said.values.get("catch").map(_.value.toString).fold(0.999)(text =>
      text.toDoubleOption.getOrElse(throw wrong("windrow_advise", "SHARE_NOT_UNDERSTOOD", "value" -> text)))
    val advice = new StateReader(session, path, said.text("operator"), whole = true).advise(share)
    AdviceRows(advice)
  }

  private def checkpointOf(session: SparkSession, id: String): String = RunningQuery.checkpoint(running(session, id))

  /** Returns a running query of the session. */
  def running(session: SparkSession, id: String): StreamingQuery =
    Try(session.streams.get(id)).toOption.filter(_ != null).getOrElse(
      throw new CheckpointError(ErrorConditions.message("QUERY_NOT_RUNNING", "id" -> id)))

  private def looking(function: String, own: Seq[String])(ask: (StateReader, Said) => DataFrame)(
      expressions: Seq[Expression]): LogicalPlan = {
    val said = read(function, expressions, Seq("checkpoint", "operator") ++ own)
    SparkInside.plan(ask(
      new StateReader(SparkSession.active, said.text("checkpoint").get, said.text("operator")),
      said))
  }

  /** The arguments of a function. */
  private final case class Said(function: String, values: Map[String, Literal]) {
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
      instead: Seq[String] = Nil): Said = {
    val named = NamedConstants.naming("checkpoint", expressions)
    val (values, found) = NamedConstants.read(named, allowed)(Some(_))((name, value) =>
      SpecProblem("ARGUMENT_NOT_CONSTANT.PLAIN", "value" -> s"$name => $value"))
    val all =
      found ++ Option.unless(("checkpoint" +: instead).exists(values.contains))(SpecProblem("CHECKPOINT_MISSING"))
    if (all.nonEmpty) throw SpecError(function, all)
    Said(function, values)
  }

  private def wrong(function: String, condition: String, parameters: (String, Any)*): SpecError =
    SpecError(function, Seq(SpecProblem(condition, parameters: _*)))
}
