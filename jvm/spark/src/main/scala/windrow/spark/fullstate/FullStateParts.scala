package windrow.spark.fullstate

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.ArrayType
import windrow.SpecProblem
import windrow.spark.functions.FunctionSet
import windrow.spark.input.{AggregateParts, CoGroupMarks, ColumnNames}

/** Describes the output of full state: the rows take the place of the results of an aggregation. */
object FullStateParts {
  private val none = new FunctionSet(Nil, Nil)

  /** Returns the problems of the table and, if it can be read, its parts.
    *
    * @param key
    *   column names of a plain table. If it is None, the table is an aggregation without aggregates, whose keys are
    *   used.
    */
  def of(
      session: SparkSession,
      table: LogicalPlan,
      key: Option[Seq[String]]): (Seq[SpecProblem], Option[AggregateParts]) = key match {
    case Some(names) => plain(session, table, names)
    case None =>
      AggregateParts.ofMarkers(table).fold[(Seq[SpecProblem], Option[AggregateParts])]((
        Seq(SpecProblem("KEY_NOT_STATED.SQL")),
        None))(marked => (Nil, Some(keeping(marked.keys, marked.shown, marked.markers, marked.child))))
  }

  private def plain(session: SparkSession, table: LogicalPlan, names: Seq[String]) = {
    val found = names.map(name => name -> ColumnNames.column(session, table, "key", name))
    val wrong = found.flatMap(_._2.left.toOption)
    val keys = found.collect { case (name, Right(column)) =>
      Alias(column, UnresolvedAttribute.parseAttributeName(name).last)(nonInheritableMetadataKeys =
        Seq(CoGroupMarks.Marker)) // shows a struct field under the same name as `groupBy`
    }
    (wrong, Some(keeping(keys, keys.map(key => Alias(key.toAttribute, key.name)()), CoGroupMarks.of(table), table)))
  }

  private def keeping(
      keys: Seq[Alias],
      shown: Seq[Alias],
      markers: Map[String, Expression],
      child: LogicalPlan): AggregateParts = {
    val empty    = AggregateParts(keys, shown, Nil, none, Nil, Nil, markers, child)
    val messages = AttributeReference("messages", ArrayType(empty.message, containsNull = false))()
    empty.copy(functionResults = Seq(messages), results = Seq(Alias(KnownNotNull(messages), "messages")()))
  }
}
