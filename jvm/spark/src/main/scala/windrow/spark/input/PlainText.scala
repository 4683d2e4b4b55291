package windrow.spark.input

import java.time.Instant
import java.time.temporal.ChronoUnit.MICROS
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.objects.Invoke
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.apache.spark.sql.windrow.SparkInside
import scala.collection.mutable
import windrow.spark.functions.FunctionSet

/** Shows expressions and types as text that is the same in every run, session, builder and version of Spark: with the
  * column names of the input, without ids and unabridged (SEMANTICS S2).
  */
private[spark] final class PlainText(columns: Seq[Attribute]) {
  private val names = AttributeMap(columns.map(column => column -> column.name))

  def apply(expression: Expression): String = readable(expression).sql

  /** Shows an expression with its type. */
  def typed(expression: Expression): String = s"${apply(expression)} ${PlainText.of(expression.dataType)}"

  /** Shows aggregate functions over their inputs, including details that Spark's SQL omits. */
  def functions(set: FunctionSet, inputs: Seq[Expression]): String = each(set, inputs).mkString(", ")

  /** Shows each aggregate function of a set. */
  def each(set: FunctionSet, inputs: Seq[Expression]): Seq[String] =
    PlainText.whole(set.described(inputs.map(input => Word(apply(input), input.dataType))))

  private def readable(expression: Expression): Expression = {
    val variables = mutable.HashMap.empty[ExprId, String]
    // `mean` becomes `avg`: a tag contains the name by which a function was called
    val plain = expression.clone()
    plain.foreach(_.unsetTagValue(FunctionRegistry.FUNC_ALIAS))
    plain.transform {
      case column: AttributeReference =>
        Word(quoteIfNeeded(names.getOrElse(column, column.name)), column.dataType)
      case call: Invoke => // its own text omits the arguments
        Word(
          s"${readable(call.targetObject)}.${call.functionName}(${call.arguments.map(apply).mkString(", ")})",
          call.dataType)
      case one: NamedLambdaVariable =>
        one.copy(name = variables.getOrElseUpdate(one.exprId, s"x${variables.size}"))
      case Literal(micros: Long, TimestampType) => Word(s"TIMESTAMP '${instant(micros)}'", TimestampType)
    }
  }

  private def instant(micros: Long): Instant = Instant.EPOCH.plus(micros, MICROS)
}

private[spark] object PlainText {

  /** Shows a type without nullability, which does not change the format of rows. */
  def of(dataType: DataType): String =
    SparkInside.nullable(new StructType().add("of", dataType)).head.dataType.sql

  /** Shows names and types. */
  def of(columns: StructType): String =
    if (columns.isEmpty) "none"
    else columns.map(column => s"${quoteIfNeeded(column.name)} ${of(column.dataType)}").mkString(", ")

  /** The time zones of expressions, which Spark took from the session. */
  def zones(expressions: Seq[Expression]): Seq[String] = expressions.flatMap(_.collect {
    case cast: Cast => cast.timeZoneId.filter(_ => Cast.needsTimeZone(cast.child.dataType, cast.dataType))
    case other: TimeZoneAwareExpression => other.timeZoneId
  }).flatten.distinct.sorted

  /** Runs code that builds texts. Prevents Spark from abbreviating long ones. */
  def whole[T](code: => T): T = {
    val all = SQLConf.get.clone()
    all.setConf(SQLConf.MAX_TO_STRING_FIELDS, Int.MaxValue)
    SQLConf.withExistingConf(all)(code)
  }
}

/** A text in place of an expression. */
private[spark] final case class Word(text: String, dataType: DataType) extends LeafExpression with Unevaluable {
  override def nullable: Boolean = true
  override def sql: String       = text
  override def toString: String  = text
}
