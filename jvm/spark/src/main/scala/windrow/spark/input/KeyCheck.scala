package windrow.spark.input

import org.apache.spark.sql.catalyst.expressions.{Attribute, EqualTo, Expression, RowOrdering}
import org.apache.spark.sql.catalyst.util.{CharVarcharUtils, UnsafeRowUtils}
import org.apache.spark.sql.types.{ArrayType, CalendarIntervalType, DataType, MapType, StructType}
import windrow.SpecProblem

/** Checks which keys a query may have. Windrow compares keys by their bytes, after Spark has normalized them
  * (`SparkInside.normalized`). This file lists the types for which that is correct (SEMANTICS W2, R35).
  */
private[spark] object KeyCheck {

  /** Returns the problems of grouping keys.
    *
    * @param keys
    *   the keys, with their names in error messages
    */
  def grouped(keys: Seq[(String, Expression)]): Seq[SpecProblem] = keys.flatMap { case (name, key) =>
    changing(key).orElse(collated(name, key.dataType)).orElse(unordered(name, key.dataType))
  }

  /** Returns the problem of a join key. Spark must be able to compare its type. */
  def joined(name: String, key: Expression): Option[SpecProblem] =
    if (EqualTo(key, key).checkInputDataTypes().isFailure) Some(notComparable(name, key.dataType))
    else collated(name, key.dataType)

  /** The problem of a key, or another column, that does not have one type.
    *
    * @param types
    *   the type in each stream
    */
  def differing(
      key: String,
      types: Seq[(String, DataType)],
      condition: String = "KEY_TYPES_DIFFER.STREAMS"): SpecProblem = SpecProblem(
    condition,
    "key"   -> key,
    "types" -> types.map { case (stream, of) => s"${of.sql} in '$stream'" }.mkString(", "))

  /** Makes the keys of all streams at one position comparable: pads shorter CHAR values as Spark does. */
  def comparable(keys: Seq[Expression]): Seq[Expression] = {
    val columns = keys.collect { case column: Attribute => column }
    if (columns.size < keys.size) keys else CharVarcharUtils.addPaddingInStringComparison(columns, alwaysPad = false)
  }

  /** The name of a column in which Spark evaluates a nondeterministic key before it groups. */
  private val Changing = "_nondeterministic"

  private def changing(key: Expression): Option[SpecProblem] = Option.when(key match {
    case column: Attribute => column.name == Changing
    case other             => !other.deterministic
  })(SpecProblem(
    "KEY_NOT_DETERMINISTIC"))

  /** Rejects strings with a collation: of several equal but different strings, none can represent the others. */
  private def collated(name: String, of: DataType): Option[SpecProblem] =
    Option.unless(UnsafeRowUtils.isBinaryStable(of))(SpecProblem(
      "KEY_NOT_BINARY",
      "name" -> name,
      "type" -> of.sql))

  private def unordered(name: String, of: DataType): Option[SpecProblem] =
    Option.unless(hasOrder(of))(notComparable(name, of))

  /** Whether a type can be normalized. The entries of maps are sorted by their keys. */
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
