package windrow.core.pattern

import windrow.RowPattern._
import windrow.{AfterMatch, RowPattern}

/** Finds matches by trying all ways in the order of their preference, without a program and without a memory.
  *
  * @param times
  *   the times of the rows, in order
  * @param has
  *   whether a row fulfills the condition of a name after the names of the earlier rows of the match
  */
private[pattern] final class BruteForce(
    times: IndexedSeq[Long],
    within: Long,
    has: (Int, String, Seq[String]) => Boolean) {

  /** All matches, each as its first row and the names of its rows. */
  def all(pattern: RowPattern, after: AfterMatch): Vector[(Int, Seq[String])] = {
    def from(start: Int): Vector[(Int, Seq[String])] =
      if (start >= times.size) Vector.empty
      else new From(start).ways(pattern, Vector.empty).headOption match {
        case Some(names) if names.nonEmpty =>
          val next = if (after == AfterMatch.PastLastRow) start + names.size else start + 1
          (start, names) +: from(next)
        case _ => from(start + 1)
      }
    from(0)
  }

  private type Names = Vector[String]

  private final class From(start: Int) {

    /** The names of all rows after a part of the pattern, by the names before it. */
    def ways(pattern: RowPattern, before: Names): LazyList[Names] = pattern match {
      case Row(name) =>
        val at = start + before.size
        if (at < times.size && times(at) <= times(start) + within && has(at, name, before)) LazyList(before :+ name)
        else LazyList.empty
      case Sequence(parts) => inSequence(parts, before)
      case Choice(options) => LazyList.from(options).flatMap(ways(_, before))
      case Repeat(part, 0, most, isGreedy) =>
        val fewer: LazyList[Names] = LazyList(before)
        def more: LazyList[Names] =
          if (most.contains(0)) LazyList.empty
          else for {
            first <- ways(part, before)
            if first.size > before.size || most.isDefined
            rest <- ways(Repeat(part, 0, most.map(_ - 1), isGreedy), first)
          } yield rest
        if (isGreedy) more #::: fewer else fewer #::: more
      case Repeat(part, least, most, isGreedy) =>
        inSequence(Seq(part, Repeat(part, least - 1, most.map(_ - 1), isGreedy)), before)
    }

    private def inSequence(parts: Seq[RowPattern], before: Names): LazyList[Names] =
      if (parts.isEmpty) LazyList(before) else ways(parts.head, before).flatMap(inSequence(parts.tail, _))
  }
}
