package windrow.spark.functions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.catalyst.expressions.codegen.{CodeGenerator, CodegenContext, ExprCode}
import org.apache.spark.sql.types.DataType
import scala.util.control.NonFatal

/** Finds expressions that may fail for a row, such as a division or a cast in ANSI mode. */
private[spark] object FailureCheck {

  /** Whether an expression may fail for some row. False only for expressions that are known not to fail, which
    * therefore stay unchanged.
    */
  def may(expression: Expression): Boolean = expression match {
    case _: Attribute | _: BoundReference | _: Literal                            => false
    case _: GetStructField | _: CreateNamedStruct | _: Alias                      => some(expression)
    case _: And | _: Or | _: Not | _: IsNull | _: IsNotNull | _: BinaryComparison => some(expression)
    case _: Coalesce | _: If                                                      => some(expression)
    case Cast(child, to, _, _) if Cast.canUpCast(child.dataType, to)              => may(child)
    case _                                                                        => true
  }

  private def some(expression: Expression): Boolean = expression.children.exists(may)

  /** Returns the value, or null if the condition does not hold. No part of the value is evaluated then. */
  def where(condition: Expression, value: Expression): Expression =
    If(condition, value, Literal.create(null, value.dataType))
}

/** The value of an expression, or null if it fails. Unlike Spark's `try_` expressions, no part of the child is
  * evaluated outside this expression, where a failure would end the query: its common subexpressions are not shared
  * with other expressions.
  */
private[spark] final case class NullIfFails(child: Expression) extends UnaryExpression with ConditionalExpression {
  override def alwaysEvaluatedInputs: Seq[Expression]                                       = Nil
  override def withNewAlwaysEvaluatedInputs(inputs: Seq[Expression]): ConditionalExpression = this
  override def branchGroups: Seq[Seq[Expression]]                                           = Nil
  override def dataType: DataType                                                           = child.dataType
  override def nullable: Boolean                                                            = true
  override protected def withNewChildInternal(newChild: Expression): Expression             = copy(newChild)

  override def eval(row: InternalRow): Any =
    try child.eval(row)
    catch { case NonFatal(_) => null }

  override protected def doGenCode(context: CodegenContext, ev: ExprCode): ExprCode = {
    val value = child.genCode(context)
    ev.copy(code = code"""
      boolean ${ev.isNull} = true;
      ${CodeGenerator.javaType(dataType)} ${ev.value} = ${CodeGenerator.defaultValue(dataType)};
      try {
        ${value.code}
        ${ev.isNull} = ${value.isNull};
        ${ev.value} = ${value.value};
      } catch (Exception e) {
      }""")
  }
}

private[spark] object NullIfFails {

  /** Returns the expression with null in place of a failure, or the expression itself if it cannot fail. */
  def of(expression: Expression): Expression = if (FailureCheck.may(expression)) NullIfFails(expression) else expression
}
