package windrow.core.pattern

import java.util.BitSet
import scala.collection.immutable.ArraySeq
import scala.collection.mutable
import scala.collection.mutable.ArrayBuffer

/** Finds the preferred match that begins at a row (SEMANTICS R140). It tries the paths through the program in the order
  * of their preference, and no state of the program twice at a row, because what follows depends on both alone. So the
  * work for a first row is at most the number of rows times the number of states.
  *
  * If a condition reads earlier rows of the match, what follows also depends on them (SEMANTICS R158). Then no state is
  * tried twice at a row with the same earlier rows.
  *
  * @param earlier
  *   the earlier rows that conditions read
  * @param reads
  *   for each name the positions in `earlier` that its condition reads
  */
private[core] final class PatternSearch(
    program: RowProgram,
    earlier: IndexedSeq[EarlierRow] = IndexedSeq.empty,
    reads: Int => Seq[Int] = _ => Nil) {
  import PatternSearch._

  private val path = new PathRows(program, earlier, reads)

  /** The states that were tried, by row after the first. Only `touched` of them are not empty. */
  private val visited = ArrayBuffer.empty[BitSet]
  private var touched = 0

  /** The tried states from which on a condition reads earlier rows, with these rows. */
  private val withRows = mutable.HashSet.empty[ArraySeq[Int]]

  private var waiting = new Array[Int](64)
  private var labels  = new Array[Byte](16)
  private var depth   = 0
  private var first   = 0

  /** The number of states that all searches have tried. */
  var work: Long = 0L

  /** Searches a match.
    *
    * @param start
    *   the first row
    * @param until
    *   the row after the last one that may belong to the match
    * @param isOpen
    *   whether more rows that may belong to the match can follow
    * @param rows
    *   the conditions that rows fulfill
    * @return
    *   the row after the last one of the match, [[PatternSearch.NoMatch]], or [[PatternSearch.Unknown]] if a row that can
    *   follow decides
    */
  def find(start: Int, until: Int, isOpen: Boolean, rows: Rows): Int = {
    (0 until touched).foreach(visited(_).clear())
    touched = 0
    withRows.clear()
    depth = 0
    first = start
    path.begin(start)
    push(0, start, 0)
    var found = NoMatch
    while (found == NoMatch && depth > 0) {
      depth -= 3
      found = follow(waiting(depth), waiting(depth + 1), waiting(depth + 2), until, isOpen, rows)
    }
    found
  }

  /** Follows a path until it fails.
    *
    * @param filled
    *   the number of the outermost repetitions whose present round contains a row
    */
  private def follow(instruction: Int, row: Int, filled: Int, until: Int, isOpen: Boolean, rows: Rows): Int = {
    var (at, place, full) = (instruction, row, filled)
    while (at >= 0 && isNew(at, place, full)) {
      work += 1
      val name = program.names(at)
      if (at == program.end) return place
      else if (program.ends(at)) {
        val isEmpty = full < program.depth(at)
        full = program.depth(at) - 1
        at = if (isEmpty) -1 else program.first(at)
      } else if (name < 0) {
        if (program.second(at) >= 0) push(program.second(at), place, full)
        at = program.first(at)
      } else if (place == until) {
        if (isOpen) return Unknown
        at = -1
      } else if (!hasName(at, name, place, rows)) at = -1
      else {
        label(place - first, name)
        path.add(at, place - first, place)
        full = program.depth(at)
        place += 1
        at += 1
      }
    }
    NoMatch
  }

  private def hasName(instruction: Int, name: Int, row: Int, rows: Rows): Boolean =
    if (path.isRead(instruction)) rows.holds(name, row, path.before(instruction, row - first, row))
    else (rows.names(row) >>> name & 1L) != 0

  private def isNew(instruction: Int, row: Int, filled: Int): Boolean = {
    val at  = row - first
    val bit = filled * program.size + instruction
    if (path.isOpen(instruction)) {
      val state = path.open(instruction, at)
      state(0) = at
      state(1) = bit
      withRows.add(ArraySeq.unsafeWrapArray(state))
    } else {
      while (touched <= at) {
        if (touched == visited.size) visited += new BitSet(program.states)
        touched += 1
      }
      val isNew = !visited(at).get(bit)
      if (isNew) visited(at).set(bit)
      isNew
    }
  }

  private def push(instruction: Int, row: Int, filled: Int): Unit = {
    if (depth + 3 > waiting.length) waiting = java.util.Arrays.copyOf(waiting, 2 * waiting.length)
    waiting(depth) = instruction
    waiting(depth + 1) = row
    waiting(depth + 2) = filled
    depth += 3
  }

  private def label(index: Int, name: Int): Unit = {
    if (index == labels.length) labels = java.util.Arrays.copyOf(labels, 2 * index)
    labels(index) = name.toByte
  }

  /** The numbers of the names of the rows of the match that was found last.
    *
    * @param rows
    *   the number of its rows
    */
  def found(rows: Int): Array[Byte] = java.util.Arrays.copyOf(labels, rows)
}

private[core] object PatternSearch {

  /** The conditions that rows fulfill. */
  trait Rows {

    /** Returns the names whose conditions a row fulfills, as bits, without conditions that read earlier rows. */
    def names(row: Int): Long

    /** Returns whether a row fulfills the condition of a name that reads earlier rows.
      *
      * @param earlier
      *   these rows, each -1 if there is none
      */
    def holds(name: Int, row: Int, earlier: Array[Int]): Boolean
  }

  /** No match begins at the row. */
  val NoMatch: Int = -1

  /** A row that can follow decides. */
  val Unknown: Int = -2
}
