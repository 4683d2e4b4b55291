package windrow.spark.version

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry
import org.apache.spark.sql.catalyst.expressions.aggregate.Sum
import org.apache.spark.sql.catalyst.expressions.{Add, EvalMode, Expression, Multiply, Pmod, Subtract}
import org.apache.spark.sql.internal.SQLConf

/** Expressions whose constructors differ between Spark 4.0 and 4.1. They follow `spark.sql.ansi.enabled`. */
private[spark] object Arithmetic {
  def add(left: Expression, right: Expression): Expression      = Add(left, right, mode)
  def subtract(left: Expression, right: Expression): Expression = Subtract(left, right, mode)
  def multiply(left: Expression, right: Expression): Expression = Multiply(left, right, mode)
  def pmod(left: Expression, right: Expression): Expression     = Pmod(left, right, mode)

  def sum(value: Expression): Sum =
    FunctionRegistry.builtin.lookupFunction(FunctionIdentifier("sum"), Seq(value)).asInstanceOf[Sum]

  /** Returns how a sum treats an overflow. Spark 4.0 has the mode itself where Spark 4.1 has a context with the mode. */
  def modeOf(sum: Sum): EvalMode.Value = sum.productElement(1) match {
    case context: Product => context.productElement(0).asInstanceOf[EvalMode.Value]
    case mode             => mode.asInstanceOf[EvalMode.Value]
  }

  private def mode: EvalMode.Value = EvalMode.fromSQLConf(SQLConf.get)
}
