package windrow.spark.input

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.apache.spark.sql.windrow.SparkInside
import scala.util.Try
import windrow.spark.functions.GapLayout
import windrow.spark.version.Arithmetic
import windrow.{GapMethod, GapValues, SpecProblem}

/** The columns of panes whose windows without rows have values of their own (SEMANTICS R120).
  *
  * @param added
  *   attributes for the columns that `layout` adds to the results of functions
  * @param results
  *   the result columns, over the results of functions and `added`
  */
private[spark] final case class GapColumns(
    layout: GapLayout,
    added: Seq[AttributeReference],
    results: Seq[NamedExpression]) {

  /** Whether the window has no rows. */
  def isGap: Expression = Not(EqualTo(KnownNotNull(added.last), Literal(GapLayout.HasRows)))
}

private[spark] object GapColumns {

  /** Returns the columns, or all problems of the methods of columns. */
  def of(parts: AggregateParts, values: GapValues): Either[Seq[SpecProblem], GapColumns] = {
    val methods = parts.results.map(column => column -> methodOf(column.name, values))
    val unknown = values.methods.map(_._1).filter(name =>
      name != GapValues.Every && !parts.results.exists(column => isSame(column.name, name))).map(name =>
      SpecProblem("GAP_VALUES.COLUMN", "column" -> name, "allowed" -> parts.results.map(_.name).mkString(", ")))
    val unfit = methods.collect {
      case (column, Some(method)) if !fits(column.dataType, method) =>
        SpecProblem("GAP_VALUES.TYPE", "column" -> column.name, "type" -> column.dataType.sql, "method" -> method)
    }
    Either.cond(unknown.isEmpty && unfit.isEmpty, columns(parts, methods), unknown ++ unfit)
  }

  private def isSame(one: String, other: String) = SQLConf.get.resolver(one, other)

  private def methodOf(column: String, values: GapValues): Option[GapMethod] =
    values.methods.find { case (name, _) => isSame(name, column) }
      .orElse(values.methods.find(_._1 == GapValues.Every)).map(_._2)

  private def fits(of: DataType, method: GapMethod): Boolean = method match {
    case GapMethod.Previous     => true
    case GapMethod.Linear       => of.isInstanceOf[NumericType]
    case GapMethod.Value(value) => constant(value, of).isDefined
  }

  /** Returns a constant of a type, or None if the type does not contain the value. */
  private def constant(value: Any, of: DataType): Option[Literal] = {
    val isOfType = (value, of) match {
      case (_: Boolean, BooleanType)                            => true
      case (_: Long, _: NumericType)                            => true
      case (_: Double, DoubleType | FloatType | _: DecimalType) => true
      case _                                                    => false
    }
    Option.when(isOfType)(Try(Cast(Literal(value), of).eval()).toOption).flatten.flatMap(Option(_)).map(Literal(_, of))
  }

  private def columns(parts: AggregateParts, methods: Seq[(NamedExpression, Option[GapMethod])]): GapColumns = {
    def read(isNeeded: GapMethod => Boolean) = {
      val needed = methods.collect { case (column, Some(method)) if isNeeded(method) => column }
      parts.functionResults.indices.filter(i => needed.exists(_.references.contains(parts.functionResults(i))))
    }
    val layout = GapLayout(
      parts.functionResults.map(_.dataType),
      read(method => method == GapMethod.Previous || method == GapMethod.Linear),
      read(_ == GapMethod.Linear))
    val added          = layout.added.map(AttributeReference("added", _)())
    val last           = AttributeMap(layout.last.map(parts.functionResults).zip(added))
    val next           = AttributeMap(layout.next.map(parts.functionResults).zip(added.drop(layout.last.size)))
    val (share, state) = (added(added.size - 2), added.last)
    val results = methods.map { case (column, method) =>
      val value = SparkInside.unnamed(column)
      def of(neighbor: AttributeMap[AttributeReference]) = value.transform { case a: Attribute =>
        neighbor.getOrElse(a, a)
      }
      val shown = method.fold(value) {
        case GapMethod.Previous => If(EqualTo(state, Literal(GapLayout.Filled)), of(last), value)
        case GapMethod.Linear   => If(IsNotNull(share), between(of(last), of(next), share), value)
        case GapMethod.Value(of) =>
          If(EqualTo(state, Literal(GapLayout.HasRows)), value, constant(of, value.dataType).get)
      }
      Alias(shown, column.name)(column.exprId)
    }
    GapColumns(layout, added, results)
  }

  /** Returns the number at a share of the way from one number to another, in the type of both. */
  private def between(from: Expression, to: Expression, share: Expression): Expression = {
    val start = Cast(from, DoubleType)
    val way   = Arithmetic.subtract(Cast(to, DoubleType), start)
    val value = Arithmetic.add(start, Arithmetic.multiply(way, share))
    from.dataType match {
      case whole @ (ByteType | ShortType | IntegerType | LongType) => Cast(Round(value, Literal(0)), whole)
      case other                                                   => Cast(value, other)
    }
  }
}
