package windrow.core.pattern

import scala.collection.immutable.ArraySeq
import windrow.AfterMatch
import windrow.core.store.StoredMessage
import windrow.core.time.Position

/** The matches in the rows of a key, of which those before a time are known (SEMANTICS R141). They depend only on the
  * rows and that time.
  *
  * @param rows
  *   in order
  * @param conditions
  *   the conditions of the names, which read a previous row only within reach
  * @param within
  *   how far the last row of a match may be after the first, in microseconds
  * @param from
  *   the first row at which a match may begin
  */
private[pattern] final class MatchScan(
    rows: ArraySeq[StoredMessage],
    conditions: RowConditions,
    within: Long,
    after: AfterMatch,
    search: PatternSearch,
    from: Int)
    extends PatternSearch.Rows {
  private val named   = new Array[Long](rows.length)
  private val isKnown = new Array[Boolean](rows.length)
  private val read    = new Array[StoredMessage](conditions.earlier.size)

  def names(row: Int): Long = {
    if (!isKnown(row)) {
      named(row) = conditions.classify(previous(row), rows(row))
      isKnown(row) = true
    }
    named(row)
  }

  def holds(name: Int, row: Int, earlier: Array[Int]): Boolean = {
    read.indices.foreach(i => read(i) = if (earlier(i) < 0) null else rows(earlier(i)))
    conditions.holds(name, previous(row), rows(row), read)
  }

  private def previous(row: Int): StoredMessage =
    if (row > 0 && rows(row).time <= Position.plus(rows(row - 1).time, within)) rows(row - 1) else null

  /** Finds the matches that the rows before a time decide.
    *
    * @param closed
    *   no other row can have an earlier time; [[Position.Greatest]] if no other row can come
    */
  def upTo(closed: Long): MatchScan.ScanResult = {
    val known = MatchScan.before(rows, closed)
    (from until known).foreach(names) // so that a condition that fails does not depend on the search (SEMANTICS R140)
    val found   = Vector.newBuilder[EmittedMatch]
    var start   = from
    var last    = from // the row after the last one within reach of the start
    var open    = known
    var isStuck = false
    while (start < known && !isStuck) {
      val reach  = Position.plus(rows(start).time, within)
      val isOpen = closed != Position.Greatest && reach >= closed
      last = math.max(last, start)
      while (last < known && rows(last).time <= reach) last += 1
      search.find(start, last, isOpen, this) match {
        case PatternSearch.NoMatch => start += 1
        case PatternSearch.Unknown =>
          open = math.min(open, start)
          if (after == AfterMatch.PastLastRow) isStuck = true else start += 1
        case end =>
          found += EmittedMatch(start, search.found(end - start))
          start = if (after == AfterMatch.PastLastRow) end else start + 1
      }
    }
    MatchScan.ScanResult(found.result(), if (after == AfterMatch.PastLastRow) start else open, known)
  }
}

private[pattern] object MatchScan {

  /** @param matches
    *   ordered by their first row
    * @param open
    *   the first row at which a match may begin that is not decided
    * @param known
    *   the number of rows before the time
    */
  final case class ScanResult(matches: Vector[EmittedMatch], open: Int, known: Int)

  /** The number of rows before a time. */
  def before(rows: ArraySeq[StoredMessage], time: Long): Int =
    if (time == Position.Greatest) rows.length
    else {
      var (low, high) = (0, rows.length)
      while (low < high) {
        val middle = (low + high) >>> 1
        if (rows(middle).time < time) low = middle + 1 else high = middle
      }
      low
    }
}
