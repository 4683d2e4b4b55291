package windrow.spark.input

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.expressions.EqualTo
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.RowOrdering
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils
import org.apache.spark.sql.types.ArrayType
import org.apache.spark.sql.types.CalendarIntervalType
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.MapType
import org.apache.spark.sql.types.StructType
import windrow.SpecProblem

/** Which keys a query may have. Keys are equal if their bytes are, once Spark has brought them into one form
  * (`SparkInside.normalized`); of which types that is so is said here (SEMANTICS W2, R35).
  */
private[spark] object KeyCheck {

  /** @param keys
    *   with what messages call them
    */
  def grouped(keys: Seq[(String, Expression)]): Seq[SpecProblem] = keys.flatMap { case (name, key) =>
    changing(key).orElse(collated(name, key.dataType)).orElse(unordered(name, key.dataType))
  }

  /** Of a join, whose keys Spark compares. */
  def joined(name: String, key: Expression): Option[SpecProblem] =
    if (EqualTo(key, key).checkInputDataTypes().isFailure) Some(notComparable(name, key.dataType))
    else collated(name, key.dataType)

  /** The keys of all streams at one place, shorter ones of CHAR padded as Spark does where it compares them. */
  def comparable(keys: Seq[Expression]): Seq[Expression] = {
    val columns = keys.collect { case column: Attribute => column }
    if (columns.size < keys.size) keys else CharVarcharUtils.addPaddingInStringComparison(columns, alwaysPad = false)
  }

  /** Spark computes it before it groups, under a name of its own. */
  private val Changing = "_nondeterministic"

  private def changing(key: Expression): Option[SpecProblem] = Option.when(key match {
    case column: Attribute => column.name == Changing
    case other             => !other.deterministic
  })(SpecProblem(
    "KEY_NOT_DETERMINISTIC"))

  /** Texts that are equal without being the same have none that could stand for all of them. */
  private def collated(name: String, of: DataType): Option[SpecProblem] =
    Option.unless(UnsafeRowUtils.isBinaryStable(of))(SpecProblem(
      "KEY_NOT_BINARY",
      "name" -> name,
      "type" -> of.sql))

  private def unordered(name: String, of: DataType): Option[SpecProblem] =
    Option.unless(hasOrder(of))(notComparable(name, of))

  /** Entries of maps are put in the order of their keys. */
  private[spark] def hasOrder(of: DataType): Boolean = of match {
    case MapType(key, value, _) => RowOrdering.isOrderable(key) && hasOrder(value)
    case ArrayType(element, _)  => hasOrder(element)
    case struct: StructType     => struct.forall(field => hasOrder(field.dataType))
    case CalendarIntervalType   => true // Spark groups by its bytes
    case other                  => RowOrdering.isOrderable(other)
  }

  private def notComparable(name: String, of: DataType): SpecProblem = SpecProblem(
    "KEY_NOT_COMPARABLE",
    "name" -> name,
    "type" -> of.sql)
}
