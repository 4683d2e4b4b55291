package windrow.spark.functions

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types._
import windrow.spark.version.Arithmetic

/** The last values of a group in the order in which they were added, as columns of a buffer. */
private[functions] sealed trait LastValues extends Serializable {
  def attributes: Seq[AttributeReference]
  def initial: Seq[Expression]

  /** The columns of a buffer with one value. */
  def single(value: Expression): Seq[Expression]

  /** The columns of a buffer with the last values of two groups.
    *
    * @param later
    *   the columns of the group whose values are later
    */
  def merged(earlier: Seq[Expression], later: Seq[Expression]): Seq[Expression]

  /** The oldest stored value, or null if fewer values than the greatest number were added. */
  def oldest: Expression
}

private[functions] object LastValues {

  /** Up to this number, values of fixed width have columns of their own. */
  private val Few = 5

  /** Stores values. Spark's generated code cannot set a wide decimal of a user's type to null in place.
    *
    * @param most
    *   the greatest number of values
    */
  def apply(value: DataType, most: Int): LastValues =
    if (most <= Few && UnsafeRow.isMutable(value) && !value.isInstanceOf[UserDefinedType[_]])
      new LastInColumns(value, most)
    else new LastInArray(value, most)
}

/** Stores each value in a column of a fixed width, the newest first, so that a buffer is changed in place. */
private final class LastInColumns(of: DataType, most: Int) extends LastValues {
  private val count  = AttributeReference("count", IntegerType, nullable = false)()
  private val values = Seq.tabulate(most)(i => AttributeReference(s"value$i", of)())

  def attributes: Seq[AttributeReference] = count +: values
  def initial: Seq[Expression]            = Literal(0) +: values.map(_ => Literal.create(null, of))

  def single(value: Expression): Seq[Expression] = Literal(1) +: value +: initial.drop(2)

  def merged(earlier: Seq[Expression], later: Seq[Expression]): Seq[Expression] =
    Least(Seq(Arithmetic.add(earlier.head, later.head), Literal(most))) +: later.indices.tail.map { i =>
      (0 until i).foldLeft(later(i))((value, added) =>
        If(EqualTo(later.head, Literal(added)), earlier(i - added), value))
    }

  def oldest: Expression = values.last
}

/** Stores all values in one array, the oldest first. A struct contains each value, so that a null value differs from a
  * missing one.
  */
private final class LastInArray(of: DataType, most: Int) extends LastValues {
  private val struct = new StructType().add("value", of)
  private val values = AttributeReference("values", ArrayType(struct, containsNull = false))()

  def attributes: Seq[AttributeReference] = Seq(values)
  def initial: Seq[Expression]            = Seq(Literal(new GenericArrayData(Array.empty[Any]), values.dataType))

  def single(value: Expression): Seq[Expression] =
    Seq(CreateArray(Seq(CreateNamedStruct(Seq(Literal("value"), value)))))

  def merged(earlier: Seq[Expression], later: Seq[Expression]): Seq[Expression] = {
    val all = Concat(Seq(earlier.head, later.head))
    Seq(If(
      GreaterThan(Size(all, legacySizeOfNull = false), Literal(most)),
      Slice(all, Literal(-most), Literal(most)),
      all))
  }

  def oldest: Expression = If(
    GreaterThanOrEqual(Size(values, legacySizeOfNull = false), Literal(most)),
    GetStructField(GetArrayItem(values, Literal(0), failOnError = false), 0),
    Literal.create(null, of))
}
