package windrow.spark

import org.apache.spark.sql.functions.{expr, lit}
import org.apache.spark.sql.{Column, DataFrame}
import scala.language.implicitConversions
import windrow.{JoinKind, JoinSpec, SpecProblem}

/** A further condition of a join, over columns such as `o.amount`, where `o` is the name of a stream. Created implicitly
  * from a `String`, a `Column`, or a `Map` with the condition of each stream that is joined.
  *
  * @param conditions
  *   by the name of the stream; without a name, the condition belongs to the last stream
  */
final class PairCondition private (private[spark] val conditions: Seq[(Option[String], Column)]) {

  private[spark] def problems(names: Seq[String], how: JoinKind): Seq[SpecProblem] = conditions.flatMap {
    case (None, _) => Option.when(names.size > 2 && how != JoinKind.Inner)(SpecProblem(
        "CONDITION_OF_STREAM.MANY",
        "how"   -> how,
        "count" -> names.size,
        "name"  -> names.last))
    case (Some(name), _) if names.headOption.contains(name) =>
      Some(SpecProblem("CONDITION_OF_STREAM.FIRST", "name" -> name))
    case (Some(name), _) => Option.unless(names.contains(name))(
        SpecProblem("STREAM_UNKNOWN.JOIN", "name" -> name, "names" -> names.mkString(", ")))
  }

  private def of(stream: String, last: String): Option[Column] =
    conditions.collectFirst { case (name, condition) if name.getOrElse(last) == stream => condition }

  private[spark] def inWords: Seq[String] = conditions.map(_._2.toString)
}

object PairCondition {
  implicit def ofText(text: String): Option[PairCondition]     = ofColumn(expr(text))
  implicit def ofColumn(column: Column): Option[PairCondition] = Some(new PairCondition(Seq(None -> column)))

  implicit def ofStreams(each: Map[String, Column]): Option[PairCondition] =
    Some(new PairCondition(each.toSeq.map { case (name, condition) => Some(name) -> condition }))

  /** Returns the tables of a join, or Spark's join of them if it has conditions or is a chain of joins. Spark resolves the
    * conditions over the columns of all streams; its join never runs.
    */
  private[spark] def joined(
      names: Seq[String],
      tables: Seq[DataFrame],
      condition: Option[PairCondition],
      spec: JoinSpec): Seq[DataFrame] =
    if (condition.isEmpty && !spec.isChain) tables
    else {
      val (first, others) = (tables.head.as(names.head), names.tail.zip(tables.tail))
      Seq(others.foldLeft(first) { case (left, (name, table)) =>
        left.join(table.as(name), condition.flatMap(_.of(name, names.last)).getOrElse(lit(true)), "full")
      })
    }
}
