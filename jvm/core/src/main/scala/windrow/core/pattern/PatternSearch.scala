package windrow.core.pattern

import java.util.BitSet
import scala.collection.mutable.ArrayBuffer

/** Finds the preferred match that begins at a row (SEMANTICS R140). It tries the paths through the program in the order
  * of their preference, and no state of the program twice at a row, because what follows depends on both alone. So the
  * work for a first row is at most the number of rows times the number of states.
  */
private[core] final class PatternSearch(program: RowProgram) {
  import PatternSearch._

  /** The states that were tried, by row after the first. Only `touched` of them are not empty. */
  private val visited = ArrayBuffer.empty[BitSet]
  private var touched = 0

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
    * @param names
    *   for each row the names whose conditions it fulfills, as bits
    * @return
    *   the row after the last one of the match, [[PatternSearch.NoMatch]], or [[PatternSearch.Unknown]] if a row that can
    *   follow decides
    */
  def find(start: Int, until: Int, isOpen: Boolean, names: Int => Long): Int = {
    (0 until touched).foreach(visited(_).clear())
    touched = 0
    depth = 0
    first = start
    push(0, start, 0)
    var found = NoMatch
    while (found == NoMatch && depth > 0) {
      depth -= 3
      found = follow(waiting(depth), waiting(depth + 1), waiting(depth + 2), until, isOpen, names)
    }
    found
  }

  /** Follows a path until it fails.
    *
    * @param filled
    *   the number of the outermost repetitions whose present round contains a row
    */
  private def follow(instruction: Int, row: Int, filled: Int, until: Int, isOpen: Boolean, names: Int => Long): Int = {
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
      } else if ((names(place) >>> name & 1L) == 0) at = -1
      else {
        label(place - first, name)
        full = program.depth(at)
        place += 1
        at += 1
      }
    }
    NoMatch
  }

  private def isNew(instruction: Int, row: Int, filled: Int): Boolean = {
    val at = row - first
    while (touched <= at) {
      if (touched == visited.size) visited += new BitSet(program.states)
      touched += 1
    }
    val bit   = filled * program.size + instruction
    val isNew = !visited(at).get(bit)
    if (isNew) visited(at).set(bit)
    isNew
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

  /** No match begins at the row. */
  val NoMatch: Int = -1

  /** A row that can follow decides. */
  val Unknown: Int = -2
}
