package windrow.spark.input

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.catalyst.trees.TreePattern.CURRENT_LIKE
import org.apache.spark.sql.types.{BooleanType, NullType}
import org.apache.spark.sql.windrow.SparkInside
import org.apache.spark.sql.{AnalysisException, SparkSession}
import windrow.{SpecProblem, WindowFamily, WindowKind}

/** Reads the expressions that end sessions or begin other ones (SEMANTICS W9). */
private[spark] object SessionMarks {

  /** Returns the columns of each row: whether it ends its session, then the values whose change begins another one.
    * Empty if the windows do not need them.
    */
  def of(session: SparkSession, window: WindowKind, input: LogicalPlan): Either[Seq[SpecProblem], Seq[Alias]] =
    window.family match {
      case sessions: WindowFamily.CutSessions if sessions.isMarked =>
        val ends   = sessions.endsWith.map(text => read(session, input, "endsWith", text).flatMap(truth(text, _)))
        val values = sessions.split.map(text => read(session, input, "split", text).flatMap(comparable(text, _)))
        val all    = ends.getOrElse(Right(Literal(false))) +: values
        val wrong  = all.flatMap(_.left.toOption)
        Either.cond(
          wrong.isEmpty,
          all.flatMap(_.toOption).zipWithIndex.map { case (column, i) => Alias(column, s"mark$i")() },
          wrong)
      case _ => Right(Nil)
    }

  private def read(
      session: SparkSession,
      input: LogicalPlan,
      name: String,
      text: String): Either[SpecProblem, Expression] = {
    def wrong(why: String) = SpecProblem("SESSION_CUT.EXPRESSION", "name" -> name, "text" -> text, "why" -> why)
    try {
      val parsed = session.sessionState.sqlParser.parseExpression(text)
      SparkInside.plan(SparkInside.frame(session, input).select(SparkInside.column(Alias(parsed, name)()))) match {
        case Project(Seq(Alias(value, _)), _) if value.exists(_.isInstanceOf[PlanExpression[_]]) =>
          Left(wrong("it contains a query"))
        case Project(Seq(Alias(value, _)), _) if !value.deterministic => Left(wrong("it is not deterministic"))
        case Project(Seq(Alias(value, _)), _) if value.containsPattern(CURRENT_LIKE) =>
          Left(wrong("it reads the current time"))
        case Project(Seq(Alias(value, _)), _) => Right(value)
        case _                                => Left(wrong("it reads several rows"))
      }
    } catch { case failed: AnalysisException => Left(wrong(failed.getMessage.linesIterator.next())) }
  }

  private def truth(text: String, value: Expression): Either[SpecProblem, Expression] = value.dataType match {
    case BooleanType | NullType => Right(value)
    case other                  => Left(SpecProblem("SESSION_CUT.BOOLEAN", "text" -> text, "type" -> other.sql))
  }

  private def comparable(text: String, value: Expression): Either[SpecProblem, Expression] =
    if (KeyCheck.grouped(Seq(text -> value)).isEmpty) Right(value)
    else Left(SpecProblem(
      "SESSION_CUT.EXPRESSION",
      "name" -> "split",
      "text" -> text,
      "why"  -> s"values of the type ${value.dataType.sql} cannot be compared"))
}
