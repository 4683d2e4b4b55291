package windrow.spark.cogroup

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical._
import windrow.spark.arguments.{ArgumentReader, NamedInput, StreamArguments, TableArguments}
import windrow.spark.input.StreamTable
import windrow.{SpecError, SpecProblem}

/** Plans `windrow_cogroup(TABLE(a), TABLE(b), key => 'country', …)`, which combines several streams into one for the
  * table argument of the other functions. Its columns are one struct per stream with the name of its table, of which
  * one is not null, and the keys.
  */
private[spark] object CoGroupSql {
  val Name = "windrow_cogroup"

  private[spark] val Allowed: Seq[String] =
    Seq("key", "watermark", "processing_time_watermark") ++ StreamArguments.Watermark ++ NamedInput.Columns

  def plan(expressions: Seq[Expression]): LogicalPlan = {
    val arguments = TableArguments.read(Name, expressions, Allowed, several = true)
    val session   = SparkSession.active
    val names     = arguments.names("key").getOrElse(Nil)
    val reader    = new ArgumentReader(arguments.values)
    val mark      = StreamArguments.watermark(reader)
    val behind    = reader.delayIfSet("processing_time_watermark")
    val streams = arguments.tables.map { table =>
      val stream = nameOf(table)
      val keys   = names.map(NamedInput.column(session, table, stream.getOrElse(""), "key", _))
      val input  = NamedInput(session, arguments, stream.getOrElse(""), table, None, keys.flatMap(_.toOption))
      val unnamed = Option.when(stream.isEmpty)(SpecProblem(
        "STREAM_NOT_NAMED.TABLE",
        "plan" -> table.nodeName))
      input.copy(problems = unnamed.toSeq ++ keys.flatMap(_.left.toOption) ++ input.problems)
    }
    val inputs    = streams.map(_.input(mark))
    val ofColumns = streams.flatMap(_.problems)
    def shown     = names.map(UnresolvedAttribute.parseAttributeName(_).last)
    val together =
      if (ofColumns.nonEmpty) Nil // without their columns, the streams would have problems that they do not have
      else CoGroupPlan.problems(inputs, behind.isDefined) ++ taken(shown, inputs)
    reader.checked(Either.cond(together.isEmpty, inputs, together), arguments.problems ++ ofColumns).fold(
      found => throw SpecError(Name, found),
      CoGroupPlan.union(session, _, shown, behind))
  }

  private def taken(keys: Seq[String], inputs: Seq[StreamTable]): Seq[SpecProblem] =
    keys.filter(key => inputs.exists(_.name.equalsIgnoreCase(key))).map(key =>
      SpecProblem("NAME_TAKEN.STREAM", "name" -> key, "argument" -> "key"))

  /** Returns the name of the table in the query, also below projections and filters. */
  private def nameOf(table: LogicalPlan): Option[String] = table match {
    case SubqueryAlias(alias, _) => Some(alias.name)
    case Project(_, child)       => nameOf(child)
    case Filter(_, child)        => nameOf(child)
    case _                       => None
  }
}
