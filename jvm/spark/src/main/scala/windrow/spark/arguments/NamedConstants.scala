package windrow.spark.arguments

import java.util.Locale
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import windrow.SpecProblem

/** Reads arguments of SQL functions that are constants with a name. */
private[spark] object NamedConstants {

  /** Returns the values by lower-case name, without null values, and the problems of the other arguments.
    *
    * @param of
    *   converts a constant; None if it has the wrong type
    * @param wrong
    *   creates the problem of an argument that is not a constant of the right type, from its name and text
    * @param elsewhere
    *   problems of arguments that belong to another function, by lower-case name
    */
  def read[T](
      expressions: Seq[Expression],
      allowed: Seq[String],
      elsewhere: Map[String, SpecProblem] = Map.empty)(of: Literal => Option[T])(
      wrong: (String, String) => SpecProblem): (Map[String, T], Seq[SpecProblem]) = {
    val (found, values) = expressions.partitionMap {
      case NamedArgumentExpression(name, value) if allowed.contains(name.toLowerCase(Locale.ROOT)) =>
        val plain    = value.transform { case Alias(field, _) => field } // in a struct
        val constant = Option.when(plain.foldable)(Literal(plain.eval(), plain.dataType))
        if (constant.exists(_.value == null)) Right(None)
        else
          constant.flatMap(of).map(read => Some(name.toLowerCase(Locale.ROOT) -> read)).toRight(wrong(name, value.sql))
      case NamedArgumentExpression(name, _) =>
        Left(elsewhere.getOrElse(
          name.toLowerCase(Locale.ROOT),
          SpecProblem("ARGUMENT_UNKNOWN", "name" -> name, "allowed" -> allowed.mkString(", "))))
      case positional => Left(SpecProblem("ARGUMENT_NOT_NAMED", "value" -> positional.sql))
    }
    val twice = values.flatten.groupBy(_._1).collect { case (name, several) if several.size > 1 => name }
    (values.flatten.toMap, found ++ twice.toSeq.sorted.map(name => SpecProblem("NAME_TWICE.NAMED", "name" -> name)))
  }

  /** Returns the same for constants of any type. */
  def literals(expressions: Seq[Expression], allowed: Seq[String]): (Map[String, Literal], Seq[SpecProblem]) =
    read(expressions, allowed)(Some(_))((name, value) =>
      SpecProblem("ARGUMENT_NOT_CONSTANT.PLAIN", "value" -> s"$name => $value"))

  /** Returns the names in a value. A single name is a list of one. */
  def names(value: Any): Seq[String] = value match {
    case all: Seq[_] => all.map(_.toString)
    case one         => Seq(one.toString)
  }

  /** Adds the name of the first argument, which callers may omit. */
  def naming(first: String, expressions: Seq[Expression]): Seq[Expression] = expressions.headOption.map {
    case named: NamedArgumentExpression => named
    case value                          => NamedArgumentExpression(first, value)
  }.toSeq ++ expressions.drop(1)
}
