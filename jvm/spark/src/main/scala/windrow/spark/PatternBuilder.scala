package windrow.spark

import org.apache.spark.sql.windrow.SparkInside
import org.apache.spark.sql.{Column, DataFrame}
import windrow._
import windrow.spark.input.Marks
import windrow.spark.pattern.{MatchColumns, Matches}
import windrow.spark.stream.StreamOptions

/** The search of a [[Stream]] for patterns. */
trait PatternBuilder {
  private[spark] def options: StreamOptions
  private[spark] def inWords: String
  private[spark] def allowed: Option[TimeSpan]
  private[spark] def maxFuture: Option[TimeSpan]
  private[spark] def retention: Retention
  private[spark] def grouped(aggregates: Seq[Column], gap: Option[Field]): DataFrame

  /** Finds the matches of a pattern in the rows of each key, in the order of their event times. You must set a lateness.
    * {{{
    * orders.lateness("10 minutes").matching(
    *   "DOWN+ UP+",
    *   define = Map("DOWN" -> "price < PREV(price)", "UP" -> "price > PREV(price)"),
    *   measures = Seq("lowest" -> "last(DOWN.price)", "rows" -> "count(*)"),
    *   within = Some("1 hour"))
    * }}}
    *
    * @param pattern
    *   a regular expression over names of rows, with `|`, `*`, `+`, `?`, `{n}`, `{n,m}`, and parentheses. A second `?`
    *   prefers fewer repetitions.
    * @param define
    *   the condition of each name, as SQL or as a Column. SQL can read the previous row with `PREV(price)`, the last row
    *   of an earlier name with `A.price`, and the first one with `FIRST(A.price)`. A name without a condition matches
    *   every row.
    * @param measures
    *   names and aggregates over the rows of a match, as SQL. `sum(A.price)` reads only the rows of the name `A`.
    * @param within
    *   how far the last row of a match may be after the first one. A stream requires it.
    * @param after
    *   where the search for the next match begins
    * @return
    *   the matches and the rejected rows
    * @throws SpecError
    *   with every problem of the description
    */
  def matching(
      pattern: String,
      define: Map[String, RowCondition] = Map.empty,
      measures: Seq[(String, String)] = Nil,
      within: Option[TimeSpan] = None,
      after: AfterMatch = AfterMatch.PastLastRow): MatchOutput = {
    val conditions = define.toSeq.sortBy(_._1)
    val texts      = conditions.map { case (name, condition) => name -> condition.text }
    val marks = conditions.zipWithIndex.flatMap { case ((_, condition), i) =>
      condition.column.map(Marks.marked(_, s"${MatchColumns.Marker}$i"))
    }
    val draft     = MatchDraft(pattern, texts, measures, within, after, allowed, maxFuture)
    val spec      = draft.check
    val found     = UnsupportedSettings.limits(retention, "MATCH")
    val described = grouped(marks, gap = None)
    val session   = described.sparkSession
    val parts     = Matches.parts(session, SparkInside.plan(described), None)
    val checked   = if (found.isEmpty) spec.map(Matches(_)) else Left(found ++ spec.left.getOrElse(Nil))
    val whole     = Matches.withTexts(session, checked, Some(draft), parts._2)
    val made      = new MatchOutput(new StreamPlan(options, inWords, "match", whole, parts, session))
    made.rows // throws a SpecError here, in the call that contains the mistake
    made
  }
}
