package windrow.spark.join

import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import windrow.SpecError
import windrow.SpecProblem
import windrow.spark.arguments.NamedInput
import windrow.spark.arguments.TableArguments
import windrow.spark.input.StreamTable

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
      StreamTable.marked(name, table, options.on.size, options.watermarks.get(name))
    }
    JoinPlan(session, options, inputs)
  }

  /** SQL's way: `windrow_join(TABLE(SELECT * FROM a JOIN b ON …), …)`, where the join is the specification. */
  def said(session: SparkSession, arguments: TableArguments): LogicalPlan = {
    def refuse(found: Seq[SpecProblem]) = throw SpecError(JoinSql.Name, arguments.problems ++ found)
    val joined                          = JoinTable.of(arguments.table).fold(refuse, identity)
    val inputs = joined.sides.zipWithIndex.map { case ((name, table), i) =>
      NamedInput(session, arguments, name, table, joined.times.map(_(i)), joined.keys.map(_._2(i)))
    }
    val hasTime = arguments.values.contains("time")
    val ofTime =
      if (joined.times.isDefined && hasTime)
        Seq(SpecProblem("TIME_TWICE", "the range says which times are compared; time='…' is for a join without one."))
      else if (joined.times.isEmpty && !hasTime)
        Seq(SpecProblem("TIME_NOT_STATED", "there is no range of event time, so say time='…'."))
      else Nil
    val options = JoinOptions.read(JoinSql.json(joined, arguments.values))
    val found   = options.left.getOrElse(Nil) ++ ofTime ++ inputs.flatMap(_.problems)
    if (found.nonEmpty || arguments.problems.nonEmpty) refuse(found)
    val read = options.fold(refuse, identity)
    JoinPlan(session, read, inputs.map(one => one.input(read.watermarks.get(one.name))), joined.rest)
  }
}
