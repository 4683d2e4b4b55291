package windrow.core.pattern

import windrow.RowPattern._
import windrow.{AfterMatch, RowPattern}

/** Finds matches by trying all ways in the order of their preference, without a program and without a memory.
  *
  * @param times
  *   the times of the rows, in order
  * @param has
  *   whether a row fulfills the condition of a name
  */
private[pattern] final class BruteForce(times: IndexedSeq[Long], within: Long, has: (Int, String) => Boolean) {

  /** All matches, each as its first row and the names of its rows. */
  def all(pattern: RowPattern, after: AfterMatch): Vector[(Int, Seq[String])] = {
    def from(start: Int): Vector[(Int, Seq[String])] =
      if (start >= times.size) Vector.empty
      else ways(pattern, start, times(start) + within).headOption match {
        case Some(names) if names.nonEmpty =>
          val next = if (after == AfterMatch.PastLastRow) start + names.size else start + 1
          (start, names) +: from(next)
        case _ => from(start + 1)
      }
    from(0)
  }

  private type Ways = LazyList[Seq[String]]

  private def ways(pattern: RowPattern, at: Int, until: Long): Ways = pattern match {
    case Row(name) =>
      if (at < times.size && times(at) <= until && has(at, name)) LazyList(Seq(name)) else LazyList.empty
    case Sequence(parts) => inSequence(parts, at, until)
    case Choice(options) => LazyList.from(options).flatMap(ways(_, at, until))
    case Repeat(part, 0, most, isGreedy) =>
      val fewer: Ways = LazyList(Nil)
      def more: Ways =
        if (most.contains(0)) LazyList.empty
        else for {
          first <- ways(part, at, until)
          if first.nonEmpty || most.isDefined
          rest <- ways(Repeat(part, 0, most.map(_ - 1), isGreedy), at + first.size, until)
        } yield first ++ rest
      if (isGreedy) more #::: fewer else fewer #::: more
    case Repeat(part, least, most, isGreedy) =>
      inSequence(Seq(part, Repeat(part, least - 1, most.map(_ - 1), isGreedy)), at, until)
  }

  private def inSequence(parts: Seq[RowPattern], at: Int, until: Long): Ways =
    if (parts.isEmpty) LazyList(Nil)
    else for {
      first <- ways(parts.head, at, until)
      rest  <- inSequence(parts.tail, at + first.size, until)
    } yield first ++ rest
}
