package windrow

import java.util.Locale

/** Where the search for the next match begins (SEMANTICS R141). */
sealed abstract class AfterMatch(override val toString: String)

object AfterMatch {

  /** At the row after the last row of the match, so that no row belongs to two matches. */
  case object PastLastRow extends AfterMatch("past_last_row")

  /** At the row after the first row of the match. */
  case object NextRow extends AfterMatch("next_row")

  val All: Seq[AfterMatch] = Seq(PastLastRow, NextRow)
}

/** The unchecked settings of a search for a pattern. `check` converts them to a [[MatchSpec]] or returns all problems.
  *
  * @param pattern
  *   a regular expression over names of rows
  * @param define
  *   the condition of each name as SQL; a name without one matches every row
  * @param measures
  *   the names of the measures and their aggregates as SQL
  * @param within
  *   how far the last row of a match may be after the first; None if there is no limit
  * @param lateness
  *   None if not set
  */
final case class MatchDraft(
    pattern: String,
    define: Seq[(String, String)] = Nil,
    measures: Seq[(String, String)] = Nil,
    within: Option[TimeSpan] = None,
    after: AfterMatch = AfterMatch.PastLastRow,
    lateness: Option[TimeSpan] = None,
    maxFuture: Option[TimeSpan] = None) {

  def check: Either[Seq[SpecProblem], MatchSpec] = {
    val parsed = RowPattern.parse(pattern)
    val found = parsed.left.toSeq ++ parsed.toSeq.flatMap(ofPattern) ++
      within.toSeq.flatMap(span =>
        NumberCheck.notNegative("within", span) ++
          Option.when(span.isTooLong)(TimeSpan.tooLong("within"))) ++
      Option.when(lateness.contains(TimeSpan.Endless))(
        SpecProblem("VALUE_NOT_SUPPORTED.MATCH", "name" -> "lateness", "value" -> "without end")) ++
      measures.collect {
        case (name, _) if MatchDraft.isReserved(name) =>
          SpecProblem("NAME_TAKEN.MEASURE", "name" -> name)
      }
    val windows = WindowOperatorDraft(
      Over(TimeSpan.Zero),
      lateness.map(allowed => if (allowed == TimeSpan.Endless) TimeSpan.Zero else allowed),
      accumulation = Some(Accumulating),
      maxFuture = maxFuture).check
    (parsed, windows) match {
      case (Right(tree), Right(judged)) if found.isEmpty => Right(new MatchSpec(this, tree, judged))
      case _                                             => Left(found ++ windows.left.getOrElse(Nil))
    }
  }

  private def ofPattern(tree: RowPattern): Seq[SpecProblem] = {
    val names   = MatchDraft.distinct(tree.names)
    val unknown = define.map(_._1).filterNot(name => names.exists(_.equalsIgnoreCase(name)))
    val twice   = define.map(_._1).groupBy(_.toLowerCase(Locale.ROOT)).values.filter(_.size > 1).map(_.head).toSeq
    Option.when(tree.matchesNothing)(SpecProblem("PATTERN_OF_NOTHING", "pattern" -> pattern)).toSeq ++
      Option.when(tree.size > RowPattern.MostInstructions || names.size > RowPattern.MostNames)(SpecProblem(
        "PATTERN_TOO_LARGE",
        "pattern" -> pattern,
        "size"    -> tree.size,
        "most"    -> RowPattern.MostInstructions,
        "names"   -> RowPattern.MostNames)) ++
      unknown.distinct.map(name =>
        SpecProblem("NAME_NOT_IN_PATTERN", "name" -> name, "pattern" -> pattern, "names" -> names.mkString(", "))) ++
      twice.map(name => SpecProblem("NAME_TWICE.ARGUMENT", "name" -> name, "argument" -> "define"))
  }
}

private[windrow] object MatchDraft {

  /** The column of the output that describes the match. */
  val Match = "match"

  private def isReserved(name: String): Boolean = name.equalsIgnoreCase(Match)

  /** Names that differ in more than case, each as it is written first. */
  def distinct(names: Seq[String]): Seq[String] = names.distinctBy(_.toLowerCase(Locale.ROOT))
}

/** A checked description of a search for a pattern; an instance always is valid (SEMANTICS R140).
  *
  * @param tree
  *   the pattern
  * @param windows
  *   windows that end at a row, by whose times a row is judged: it is late by its own event time
  */
final class MatchSpec private[windrow] (
    private[windrow] val draft: MatchDraft,
    private[windrow] val tree: RowPattern,
    private[windrow] val windows: WindowOperatorSpec) extends Serializable {
  def pattern: String                 = draft.pattern
  def define: Seq[(String, String)]   = draft.define
  def measures: Seq[(String, String)] = draft.measures
  def within: Option[TimeSpan]        = draft.within
  def after: AfterMatch               = draft.after
  def lateness: TimeSpan              = windows.lateness
  def maxFuture: Option[TimeSpan]     = windows.maxFuture

  /** The different names of the pattern, as written first. */
  val names: IndexedSeq[String] = MatchDraft.distinct(tree.names).toIndexedSeq

  /** Whether a late row can retract a match. */
  private[windrow] def retracts: Boolean = lateness != TimeSpan.Zero

  override def toString: String = s"match('$pattern'${within.fold("")(span => s", within='$span'")})"
}
