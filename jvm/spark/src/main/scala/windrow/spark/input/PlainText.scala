package windrow.spark.input

import java.time.Instant
import java.time.temporal.ChronoUnit.MICROS
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.apache.spark.sql.windrow.SparkInside
import scala.collection.mutable
import windrow.spark.functions.FunctionSet

/** Expressions and types as text that is the same in every run, session, builder and version of Spark: columns by the names
  * that the input gives them, nothing cut off, no ids (SEMANTICS S2).
  */
private[spark] final class PlainText(columns: Seq[Attribute]) {
  private val names = AttributeMap(columns.map(column => column -> column.name))

  def apply(expression: Expression): String = said(expression).sql

  /** With its type. */
  def typed(expression: Expression): String = s"${apply(expression)} ${PlainText.of(expression.dataType)}"

  /** Aggregate functions over their inputs, with what Spark's SQL leaves out of them. */
  def functions(set: FunctionSet, inputs: Seq[Expression]): String =
    PlainText.whole(set.described(inputs.map(input => Word(apply(input), input.dataType))))

  private def said(expression: Expression): Expression = {
    val variables = mutable.HashMap.empty[ExprId, String]
    // `mean` is `avg`: under which name a function was called stands in a tag
    val plain = expression.clone()
    plain.foreach(_.unsetTagValue(FunctionRegistry.FUNC_ALIAS))
    plain.transform {
      case column: AttributeReference =>
        Word(quoteIfNeeded(names.getOrElse(column, column.name)), column.dataType)
      case one: NamedLambdaVariable =>
        one.copy(name = variables.getOrElseUpdate(one.exprId, s"x${variables.size}"))
      case Literal(micros: Long, TimestampType) => Word(s"TIMESTAMP '${instant(micros)}'", TimestampType)
    }
  }

  private def instant(micros: Long): Instant = Instant.EPOCH.plus(micros, MICROS)
}

private[spark] object PlainText {

  /** Nullability is left out: rows have the same form with it and without. */
  def of(dataType: DataType): String =
    SparkInside.nullable(new StructType().add("of", dataType)).head.dataType.sql

  /** Names and types. */
  def of(columns: StructType): String =
    if (columns.isEmpty) "none"
    else columns.map(column => s"${quoteIfNeeded(column.name)} ${of(column.dataType)}").mkString(", ")

  /** The zones in which expressions read times; they were put in by Spark from the session. */
  def zones(expressions: Seq[Expression]): Seq[String] = expressions.flatMap(_.collect {
    case cast: Cast => cast.timeZoneId.filter(_ => Cast.needsTimeZone(cast.child.dataType, cast.dataType))
    case other: TimeZoneAwareExpression => other.timeZoneId
  }).flatten.distinct.sorted

  /** Runs code that makes texts, of which Spark would leave out what is long. */
  def whole[T](code: => T): T = {
    val all = SQLConf.get.clone()
    all.setConf(SQLConf.MAX_TO_STRING_FIELDS, Int.MaxValue)
    SQLConf.withExistingConf(all)(code)
  }
}

/** Stands for an expression in a text. */
private[spark] final case class Word(text: String, dataType: DataType) extends LeafExpression with Unevaluable {
  override def nullable: Boolean = true
  override def sql: String       = text
  override def toString: String  = text
}
