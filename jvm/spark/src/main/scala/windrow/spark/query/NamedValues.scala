package windrow.spark.query

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.types._
import org.apache.spark.sql.windrow.SparkInside
import windrow.SpecProblem

/** Values by the names of the columns that they are compared with. */
private[query] final class NamedValues(session: SparkSession) {
  private val resolver = SparkInside.resolver(session)

  /** One value for each column, in their order and of their types, or what is wrong. */
  def apply(
      argument: String,
      wanted: Seq[(String, DataType)],
      values: Seq[(String, Attribute)]): Either[Seq[SpecProblem], Seq[Expression]] = {
    val found = wanted.flatMap { case (name, to) =>
      values.find(of => resolver(of._1, name)).map(of => (name, to, of._2))
    }
    if (found.size != wanted.size || values.size != wanted.size) {
      val said = if (values.isEmpty) "nothing" else values.map(_._1).mkString(", ")
      val all  = if (wanted.isEmpty) "there is no key" else s"a question says all of ${wanted.map(_._1).mkString(", ")}"
      Left(Seq(SpecProblem("KEYS_NOT_THOSE", s"$argument names $said; $all.")))
    } else {
      val (wrong, right) = found.partitionMap { case (name, to, value) =>
        as(value, to).toRight(SpecProblem(
          "KEY_TYPES_DIFFER",
          s"$argument: '$name' is ${to.sql}, and what it is compared with ${value.dataType.sql}; cast it."))
      }
      Either.cond(wrong.isEmpty, right, wrong)
    }
  }

  /** Columns of these names. */
  def among(names: Seq[String], columns: Seq[Attribute]): Seq[(String, Attribute)] =
    names.flatMap(name => columns.find(column => resolver(column.name, name)).map(name -> _))

  /** Where fields stand in messages. */
  def at(names: Seq[String], message: StructType): Seq[Int] =
    names.map(name => message.fieldNames.indexWhere(resolver(_, name))).filter(_ >= 0)

  /** The value as another type, if nothing of it can get lost. */
  def as(value: Expression, to: DataType): Option[Expression] =
    if (DataType.equalsStructurally(value.dataType, to, ignoreNullability = true)) Some(value)
    else
      Option.when(Cast.canUpCast(value.dataType, to))(
        Cast(value, to, Some(session.conf.get("spark.sql.session.timeZone"))))
}
