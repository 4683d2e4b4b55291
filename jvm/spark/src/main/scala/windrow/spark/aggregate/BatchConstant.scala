package windrow.spark.aggregate

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.LeafExpression
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode, FalseLiteral, JavaCode}
import org.apache.spark.sql.types.{DataType, LongType}

/** A number that differs between micro-batches. Unlike a literal, it is not part of the generated code, so Spark does
  * not compile the code again for each micro-batch.
  */
final case class BatchConstant(value: Long) extends LeafExpression {
  override def dataType: DataType            = LongType
  override def nullable: Boolean             = false
  override def eval(input: InternalRow): Any = value
  override def toString: String              = value.toString
  override def sql: String                   = value.toString

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val reference = ctx.addReferenceObj("given", value, "Long")
    ExprCode(code"", FalseLiteral, JavaCode.expression(s"$reference.longValue()", LongType))
  }
}
