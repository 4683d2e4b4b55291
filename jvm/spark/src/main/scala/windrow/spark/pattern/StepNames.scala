package windrow.spark.pattern

import org.apache.spark.sql.catalyst.analysis.{UnresolvedAttribute, UnresolvedFunction}
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, First, Last}
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, NullType, StructType}
import windrow.core.pattern.EarlierRow
import windrow.{RowPattern, SpecProblem}

/** The names of a pattern in conditions, before Spark resolves their columns (SEMANTICS R158).
  *
  * @param names
  *   the names of the pattern
  * @param pattern
  *   None if it was not understood
  * @param columns
  *   the columns of the input
  */
private[pattern] final class StepNames(
    names: Seq[String],
    pattern: Option[RowPattern],
    columns: Seq[Attribute]) {
  import StepNames._

  /** Replaces columns of earlier rows by [[EarlierValue]], and those of the row itself by columns without a name.
    *
    * @param own
    *   the name whose condition it is
    */
  def written(argument: String, own: String, parsed: Expression): Either[Seq[SpecProblem], Expression] = {
    val found = wrongNames(argument, parsed) ++ never(argument, own, parsed)
    if (found.nonEmpty) Left(found)
    else {
      val made = replaced(own, parsed)
      if (made.exists(_ == WrongCall)) Left(Seq(SpecProblem("MATCH_EXPRESSION.EARLIER", "argument" -> argument)))
      else Right(made)
    }
  }

  /** A replaced column is not looked at again, because the rest of its name may begin like a name of the pattern. */
  private def replaced(own: String, parsed: Expression): Expression = parsed match {
    case Call(isFirst, read) => read.flatMap(earlier(own, isFirst, _)).getOrElse(WrongCall)
    case column: UnresolvedAttribute =>
      nameOf(column).fold[Expression](column) { name =>
        val bare = UnresolvedAttribute(column.nameParts.tail)
        if (is(name, own)) bare else EarlierValue(bare, EarlierRow(Some(name), isFirst = false))
      }
    case other => other.mapChildren(replaced(own, _))
  }

  /** Returns the problems of qualified columns whose first part is not clearly a name of the pattern. */
  def wrongNames(argument: String, parsed: Expression): Seq[SpecProblem] =
    parsed.collect { case UnresolvedAttribute(first +: _ +: _) => first }.distinctBy(lower).flatMap { first =>
      val isName = names.exists(_.equalsIgnoreCase(first))
      if (isName && hasFields(first))
        Some(SpecProblem("MATCH_EXPRESSION.AMBIGUOUS", "argument" -> argument, "name" -> first))
      else if (!isName && !isQualifier(first))
        Some(SpecProblem(
          "MATCH_EXPRESSION.UNKNOWN_NAME",
          "argument" -> argument,
          "name"     -> first,
          "names"    -> names.mkString(", ")))
      else None
    }

  /** Returns the names whose rows are never before those of the condition. */
  private def never(argument: String, own: String, parsed: Expression): Seq[SpecProblem] =
    pattern.toSeq.flatMap { tree =>
      read(parsed).map(names(_)).filter(name => !name.equalsIgnoreCase(own) && !RowPattern.canPrecede(tree, name, own))
        .map(name => SpecProblem("MATCH_EXPRESSION.NEVER_BEFORE", "argument" -> argument, "name" -> name, "own" -> own))
    }

  /** Returns a value of an earlier row, or of the row itself; None if the call is wrong. */
  private def earlier(own: String, isFirst: Boolean, value: Expression): Option[Expression] = {
    val attributes = value.collect { case column: UnresolvedAttribute => nameOf(column) }.distinct
    val isNested = value.exists {
      case Call(_, _) => true
      case other      => isCall(other, Prev)
    }
    Option.when(attributes.size == 1 && !isNested) {
      val bare = value.transform {
        case column: UnresolvedAttribute if nameOf(column).isDefined =>
          UnresolvedAttribute(column.nameParts.tail)
      }
      if (!isFirst && attributes.head.forall(is(_, own))) bare
      else EarlierValue(bare, EarlierRow(attributes.head, isFirst))
    }
  }

  /** The names of the pattern whose columns an expression reads. */
  private def read(parsed: Expression): Seq[Int] =
    parsed.collect { case column: UnresolvedAttribute => nameOf(column) }.flatten.distinct

  private def nameOf(column: UnresolvedAttribute): Option[Int] =
    if (column.nameParts.size < 2) None
    else Some(names.indexWhere(_.equalsIgnoreCase(column.nameParts.head))).filter(_ >= 0)

  private def is(name: Int, own: String): Boolean = names(name).equalsIgnoreCase(own)

  private def hasFields(column: String): Boolean = columns.exists(one =>
    one.name.equalsIgnoreCase(column) && (one.dataType match {
      case _: StructType | _: MapType  => true
      case ArrayType(_: StructType, _) => true
      case _                           => false
    }))

  private def isQualifier(text: String): Boolean =
    columns.exists(one => one.name.equalsIgnoreCase(text) || one.qualifier.exists(_.equalsIgnoreCase(text)))
}

private[pattern] object StepNames {
  val Prev = "prev"

  private def lower(text: String) = text.toLowerCase(java.util.Locale.ROOT)

  def isCall(expression: Expression, function: String): Boolean = expression match {
    case call: UnresolvedFunction => call.nameParts.size == 1 && call.nameParts.head.equalsIgnoreCase(function)
    case _                        => false
  }

  /** A call of FIRST or LAST: whether it is FIRST, and its argument, or None if it has another form. */
  private object Call {
    def unapply(expression: Expression): Option[(Boolean, Option[Expression])] = expression match {
      case AggregateExpression(First(value, ignoresNulls), _, _, _, _) =>
        Some(true -> Option.when(!ignoresNulls)(value))
      case AggregateExpression(Last(value, ignoresNulls), _, _, _, _) =>
        Some(false -> Option.when(!ignoresNulls)(value))
      case other => Option.when(isCall(other, "first") || isCall(other, "last"))(false -> None)
    }
  }

  /** A call that is wrong. */
  private case object WrongCall extends LeafExpression with Unevaluable {
    override def dataType: DataType = NullType
    override def nullable: Boolean  = true
  }

  /** A value of an earlier row of the match, until its columns are resolved. */
  final case class EarlierValue(child: Expression, row: EarlierRow) extends UnaryExpression with Unevaluable {
    override def dataType: DataType                                               = child.dataType
    override def nullable: Boolean                                                = true
    override protected def withNewChildInternal(newChild: Expression): Expression = copy(child = newChild)
  }
}
