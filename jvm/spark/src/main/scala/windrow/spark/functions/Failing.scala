package windrow.spark.functions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.catalyst.expressions.codegen.CodeGenerator
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext
import org.apache.spark.sql.catalyst.expressions.codegen.ExprCode
import org.apache.spark.sql.types.DataType
import scala.util.control.NonFatal

/** Expressions that may fail for a row, as a division or a cast does under ANSI. */
private[spark] object Failing {

  /** Whether an expression may fail for some row. It is true of all but those that are known not to, so that these stay as
    * they are.
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

  /** The value, or null for a row for which a condition does not hold: then nothing of the value is evaluated. */
  def where(condition: Expression, value: Expression): Expression =
    If(condition, value, Literal.create(null, value.dataType))
}

/** The value of an expression, null where it fails. Unlike in Spark's own `try_` expressions no part of it is evaluated
  * outside, where its failure would end the query: code that parts have in common with other expressions is not shared.
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

  /** The expression, with a null in the place of a failure; as it is if it cannot fail. */
  def of(expression: Expression): Expression = if (Failing.may(expression)) NullIfFails(expression) else expression
}
