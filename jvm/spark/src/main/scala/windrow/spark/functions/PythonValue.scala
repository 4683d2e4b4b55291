package windrow.spark.functions

import java.time.ZoneId
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.trees.BinaryLike
import org.apache.spark.sql.types.{DataType, StringType, StructType}
import windrow.SpecProblem

/** The value that a user's Python function returned for a pane (SEMANTICS R124), or an error if it failed (R125).
  *
  * @param call
  *   calls the function, with the rows of the window as an array. It returns a struct of the value, the error in one
  *   line, and its traceback, or null for a row that is not a pane.
  * @param function
  *   the name of the function
  * @param pane
  *   names the pane in an error, as text. It is evaluated only for an error.
  */
private[spark] final case class PythonValue(call: Expression, function: String, pane: Expression)
    extends Expression with BinaryLike[Expression] with CodegenFallback {

  override def left: Expression  = call
  override def right: Expression = pane

  override def nullable: Boolean  = true
  override def dataType: DataType = call.dataType.asInstanceOf[StructType].head.dataType

  override def eval(row: InternalRow): Any = {
    val returned = call.eval(row).asInstanceOf[InternalRow]
    if (returned == null) null
    else if (!returned.isNullAt(1)) throw failed(row, returned.getString(1), returned.getString(2))
    else if (returned.isNullAt(0)) null
    else returned.get(0, dataType)
  }

  private def failed(row: InternalRow, why: String, traceback: String) = new FunctionError(
    SpecProblem("AGGREGATE_FUNCTION_FAILED", "function" -> function, "pane" -> pane.eval(row), "why" -> why),
    traceback)

  override def prettyName: String = PythonValue.Name
  override def toString: String   = call.toString
  override def sql: String = call.collectFirst { case rows: CreateNamedStruct =>
    rows.valExprs.map(_.sql).mkString(s"$function(", ", ", ")")
  }.getOrElse(call.sql)

  override protected def withNewChildrenInternal(newLeft: Expression, newRight: Expression): Expression =
    copy(call = newLeft, pane = newRight)
}

private[spark] object PythonValue {
  val Name = "_windrow_python_value"

  /** Names a pane in an error. */
  def place(zone: ZoneId, keys: Seq[Expression], window: Expression): Expression = {
    def text(value: Expression) = Cast(value, StringType, Some(zone.getId))
    val key = if (keys.isEmpty) Nil
    else Seq(Literal("the key "), text(CreateStruct(keys)), Literal(" and "))
    Concat(key ++ Seq(Literal("the window "), text(window)))
  }

  /** Creates the value outside windows. */
  def of(arguments: Seq[Expression]): Expression =
    PythonValue(arguments(1), arguments.head.eval().toString, Literal("a group"))
}

/** An error whose message users see. `FunctionError` extends `SparkThrowable` through this trait, because the compiler would
  * otherwise give it methods of types that Spark 4.0 lacks (`LinkageSuite`), and such a class cannot be serialized.
  */
private[spark] trait ShownBySpark extends SparkThrowable

/** The failure of a user's function. Spark and PySpark show the message of such an error without a Java stack trace. */
private[spark] final class FunctionError(problem: SpecProblem, traceback: String)
    extends IllegalArgumentException(s"$problem\n$traceback".trim) with ShownBySpark {
  override def getCondition: String = problem.code
  override def getSqlState: String  = "38000" // "external routine exception"
}
