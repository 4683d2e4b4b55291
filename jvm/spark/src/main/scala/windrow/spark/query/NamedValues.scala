package windrow.spark.query

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.windrow.SparkInside
import windrow.SpecProblem

/** Values of named columns.
  *
  * @param argument
  *   the argument that contained them
  * @param values
  *   one for each column, in their order
  */
private[query] final case class ColumnValues[T](argument: String, columns: Seq[String], values: Seq[T])

/** The values by which a question finds rows: of the key, and of the index columns. None means any. */
private[query] final case class NamedKeys[T](key: Option[ColumnValues[T]], by: Option[ColumnValues[T]])

/** Reads the keys of questions (SEMANTICS S1).
  *
  * @param key
  *   names of the key columns
  * @param declared
  *   columns by which stored rows are queried; if empty, the key columns
  */
private[query] final class NamedValues(session: SparkSession, key: Seq[String], declared: Seq[String]) {
  private val resolver = SparkInside.resolver(session)

  /** Returns the values, or all problems.
    *
    * @param usual
    *   values of the key if none are given; None means all keys
    */
  def apply[T](
      keyValues: Seq[(String, T)],
      by: Seq[(String, T)],
      usual: Option[Seq[(String, T)]]): Either[Seq[SpecProblem], NamedKeys[T]] = {
    val isKey = declared.isEmpty && by.nonEmpty
    val twice = Option.when(isKey && keyValues.nonEmpty)(
      SpecProblem("KEYS_TWICE"))
    val byKey =
      if (isKey) Some(named("by", key, by))
      else Some(keyValues).filter(_.nonEmpty).orElse(usual).map(named("key", key, _))
    val byOther = Option.when(!isKey && by.nonEmpty)(named("by", declared, by))
    val found   = twice ++ Seq(byKey, byOther).flatten.flatMap(_.left.toOption)
    Either.cond(found.isEmpty, NamedKeys(byKey.flatMap(_.toOption), byOther.flatMap(_.toOption)), found.toSeq)
  }

  /** Returns the values of the key columns. */
  def ofKey[T](columns: Seq[(String, T)]): Seq[(String, T)] =
    key.flatMap(name => columns.find(one => resolver(one._1, name)).map(name -> _._2))

  private def named[T](
      argument: String,
      columns: Seq[String],
      values: Seq[(String, T)]): Either[SpecProblem, ColumnValues[T]] = {
    val found  = columns.flatMap(name => values.find(one => resolver(one._1, name)).map(_._2))
    val stated = if (values.isEmpty) "nothing" else values.map(_._1).sorted.mkString(", ")
    val all    = if (columns.isEmpty) "the operator has no key" else s"it must name all of ${columns.mkString(", ")}"
    Either.cond(
      found.size == columns.size && values.size == columns.size,
      ColumnValues(argument, columns, found),
      SpecProblem("KEYS_NOT_THOSE", "argument" -> argument, "names" -> stated, "allowed" -> all))
  }
}
