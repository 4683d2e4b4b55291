package windrow.core.pattern

import java.util.BitSet

/** Finds the preferred match that begins at a row (SEMANTICS R140). It tries the paths through the program in the order
  * of their preference, and no instruction twice at a row, because what follows depends on both alone. So the work for
  * a first row is at most the number of rows times the number of instructions.
  */
private[core] final class PatternSearch(program: RowProgram) {
  import PatternSearch._

  private val visited = new BitSet
  private var waiting = new Array[Int](64)
  private var labels  = new Array[Byte](16)
  private var depth   = 0
  private var first   = 0

  /** The number of instructions that all searches have run. */
  var work: Long = 0L

  /** Searches a match.
    *
    * @param start
    *   the first row
    * @param until
    *   the row after the last one that may belong to the match
    * @param isOpen
    *   whether more rows that may belong to the match can follow
    * @param names
    *   for each row the names whose conditions it fulfills, as bits
    * @return
    *   the row after the last one of the match, [[PatternSearch.NoMatch]], or [[PatternSearch.Unknown]] if a row that can follow decides
    */
  def find(start: Int, until: Int, isOpen: Boolean, names: Int => Long): Int = {
    visited.clear()
    depth = 0
    first = start
    push(0, start)
    var found = NoMatch
    while (found == NoMatch && depth > 0) {
      depth -= 2
      found = follow(waiting(depth), waiting(depth + 1), until, isOpen, names)
    }
    found
  }

  /** Follows a path until it fails. */
  private def follow(instruction: Int, row: Int, until: Int, isOpen: Boolean, names: Int => Long): Int = {
    var (at, place) = (instruction, row)
    while (at >= 0 && isNew(at, place)) {
      work += 1
      val name = program.names(at)
      if (at == program.end) return place
      else if (name < 0) {
        if (program.second(at) >= 0) push(program.second(at), place)
        at = program.first(at)
      } else if (place == until) {
        if (isOpen) return Unknown
        at = -1
      } else if ((names(place) >>> name & 1L) == 0) at = -1
      else {
        label(place - first, name)
        place += 1
        at += 1
      }
    }
    NoMatch
  }

  private def isNew(instruction: Int, row: Int): Boolean = {
    val bit   = Math.addExact(Math.multiplyExact(row - first, program.size), instruction)
    val isNew = !visited.get(bit)
    if (isNew) visited.set(bit)
    isNew
  }

  private def push(instruction: Int, row: Int): Unit = {
    if (depth == waiting.length) waiting = java.util.Arrays.copyOf(waiting, 2 * depth)
    waiting(depth) = instruction
    waiting(depth + 1) = row
    depth += 2
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

  /** No match begins at the row. */
  val NoMatch: Int = -1

  /** A row that can follow decides. */
  val Unknown: Int = -2
}
