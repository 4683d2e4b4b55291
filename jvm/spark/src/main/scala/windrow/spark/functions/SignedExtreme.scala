package windrow.spark.functions

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.trees.UnaryLike
import org.apache.spark.sql.types._
import windrow.spark.version.Arithmetic

/** `min` or `max` of floating-point numbers. Spark treats -0.0 and 0.0 as equal and keeps the first. Here -0.0 is less,
  * so that neither the order nor the grouping of rows affects the result (SEMANTICS R1).
  */
private[functions] final case class SignedExtreme(child: Expression, isLeast: Boolean)
    extends DeclarativeAggregate with UnaryLike[Expression] {

  override def nullable: Boolean  = true
  override def dataType: DataType = child.dataType

  private lazy val extreme = AttributeReference("extreme", dataType)()
  private lazy val zero    = Literal.default(dataType)

  override lazy val aggBufferAttributes: Seq[AttributeReference] = Seq(extreme)
  override lazy val initialValues: Seq[Expression]               = Seq(Literal.create(null, dataType))
  override lazy val updateExpressions: Seq[Expression]           = Seq(of(extreme, child))
  override lazy val mergeExpressions: Seq[Expression]            = Seq(of(extreme.left, extreme.right))
  override lazy val evaluateExpression: Expression               = extreme

  /** Returns the extreme of two values. The extreme of two zeros has the sign of their sum, which is -0.0 only if both
    * are.
    */
  private def of(left: Expression, right: Expression): Expression =
    if (isLeast)
      If(
        areZeros(left, right),
        UnaryMinus(Arithmetic.add(UnaryMinus(left), UnaryMinus(right))),
        Least(Seq(left, right)))
    else If(areZeros(left, right), Arithmetic.add(left, right), Greatest(Seq(left, right)))

  private def areZeros(left: Expression, right: Expression) = And(EqualTo(left, zero), EqualTo(right, zero))

  override protected def withNewChildInternal(newChild: Expression): Expression = copy(child = newChild)
}

private[functions] object SignedExtreme {

  /** Whether the zeros of a type have signs. */
  def hasSignedZero(of: DataType): Boolean = of == DoubleType || of == FloatType

  /** Whether a type contains a type whose zeros have signs. */
  def containsSignedZero(of: DataType): Boolean = of match {
    case struct: StructType     => struct.exists(field => containsSignedZero(field.dataType))
    case ArrayType(element, _)  => containsSignedZero(element)
    case MapType(key, value, _) => containsSignedZero(key) || containsSignedZero(value)
    case other                  => hasSignedZero(other)
  }

  /** Returns the replacement of a function, or the function itself. */
  def of(function: AggregateFunction): AggregateFunction = function match {
    case Min(value) if hasSignedZero(value.dataType) => SignedExtreme(value, isLeast = true)
    case Max(value) if hasSignedZero(value.dataType) => SignedExtreme(value, isLeast = false)
    case other                                       => other
  }
}
