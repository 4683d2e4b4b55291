package windrow.spark.plan

import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.TimestampType
import org.apache.spark.sql.windrow.SparkInside
import windrow.SpecError
import windrow.SpecProblem

/** A join as it is asked for: options that may be wrong, over tables that may not fit. */
private[spark] object JoinQuery {

  /** The builders' way: one table for each stream, with marked columns. */
  def marked(session: SparkSession, node: ObjectNode, tables: Seq[LogicalPlan]): LogicalPlan = {
    val options = JoinOptions.read(node).fold(found => throw SpecError("a join", found), identity)
    marked(session, options, tables)
  }

  def marked(session: SparkSession, options: JoinOptions, tables: Seq[LogicalPlan]): LogicalPlan = {
    val names = options.spec.names
    if (names.size != tables.size)
      throw SpecError(
        "windrow_apply",
        Seq(SpecProblem("TABLE_MISSING", s"a join of ${names.size} streams has ${tables.size} tables.")))
    val inputs = names.zip(tables).map { case (name, table) =>
      JoinInput.marked(name, table, options.on.size, options.watermarks.get(name))
    }
    JoinPlan(session, options, inputs)
  }

  /** SQL's way: `windrow_join(TABLE(SELECT * FROM a JOIN b ON …), …)`, where the join is the specification. */
  def said(session: SparkSession, arguments: TableArguments): LogicalPlan = {
    val values  = arguments.values
    val joined  = JoinTable.of(arguments.table).fold(found => throw SpecError("windrow_join", found), identity)
    val node    = JoinSql.json(joined, values)
    val options = JoinOptions.read(node).fold(found => throw SpecError("windrow_join", found), identity)
    val found   = Seq.newBuilder[SpecProblem]
    def column(of: LogicalPlan, argument: String): Option[Expression] = values.get(argument).flatMap { name =>
      val read = of.resolve(
        UnresolvedAttribute.parseAttributeName(name.toString),
        SparkInside.resolver(session)).map { case Alias(nested, _) => nested; case plain => plain }
      if (read.isEmpty)
        found += SpecProblem(
          "COLUMN_NOT_FOUND",
          s"$argument='$name' is no column; the columns are ${of.output.map(_.name).mkString(", ")}.")
      read
    }
    if (joined.times.isDefined && values.contains("time"))
      found += SpecProblem(
        "TIME_TWICE",
        "the range says which times are compared; time='…' is for a join without one.")
    if (joined.times.isEmpty && !values.contains("time"))
      found += SpecProblem("TIME_NOT_STATED", "there is no range of event time, so say time='…'.")
    val inputs = joined.sides.zipWithIndex.map { case ((name, table), i) =>
      def side[T](of: (T, T)): T = if (i == 0) of._1 else of._2
      JoinInput(
        name,
        table,
        table.output,
        joined.times.map(side).orElse(column(table, "time")).getOrElse(Literal.create(null, TimestampType)),
        joined.keys.map { case (_, first, second) => side((first, second)) },
        Seq("partition", "offset_column").flatMap(column(table, _)),
        options.watermarks.get(name))
    }
    if (found.result().nonEmpty) throw SpecError("windrow_join", found.result())
    JoinPlan(session, options, inputs, joined.rest)
  }
}
