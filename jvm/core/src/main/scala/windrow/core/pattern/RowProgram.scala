package windrow.core.pattern

import scala.collection.mutable.ArrayBuffer
import windrow.RowPattern
import windrow.RowPattern._

/** A pattern as instructions: match one row and go on with the next instruction, or try one instruction and then
  * another. The last instruction is the end.
  *
  * A round of a repetition does not count if it contains no row. A repetition without limit whose part can match without
  * a row must therefore know whether its present round contains a row. A row is in the rounds of all such repetitions
  * around it. One number thus describes them all: how many of them, from the outermost one, have a row in their round.
  *
  * @param names
  *   for each instruction the number of the name that a row must have, or -1
  * @param first
  *   for an instruction without a name, the instruction to try first
  * @param second
  *   the one to try afterwards, or -1
  * @param depth
  *   the number of such repetitions around an instruction
  * @param ends
  *   whether an instruction ends a round of the innermost of them
  */
private[core] final class RowProgram private (
    val names: Array[Int],
    val first: Array[Int],
    val second: Array[Int],
    val depth: Array[Int],
    val ends: Array[Boolean]) {
  def size: Int = names.length
  def end: Int  = size - 1

  /** The number of different instructions with different rounds. */
  val states: Int = size * (depth.max + 1)
}

private[core] object RowProgram {

  /** Compiles a pattern.
    *
    * @param names
    *   the names of the pattern; a name's number is its position
    */
  def apply(pattern: RowPattern, names: Seq[String]): RowProgram = {
    val made = new Writer(names)
    made.write(pattern)
    made.add(-1, -1, -1)
    new RowProgram(made.names.toArray, made.first.toArray, made.second.toArray, made.depth.toArray, made.ends.toArray)
  }

  private final class Writer(all: Seq[String]) {
    val names  = ArrayBuffer.empty[Int]
    val first  = ArrayBuffer.empty[Int]
    val second = ArrayBuffer.empty[Int]
    val depth  = ArrayBuffer.empty[Int]
    val ends   = ArrayBuffer.empty[Boolean]

    private var around = 0

    def add(name: Int, one: Int, other: Int, isEnd: Boolean = false): Int = {
      names += name
      first += one
      second += other
      depth += around
      ends += isEnd
      names.size - 1
    }

    def write(pattern: RowPattern): Unit = pattern match {
      case Row(name) =>
        add(all.indexWhere(_.equalsIgnoreCase(name)), -1, -1)
        ()
      case Sequence(parts) => parts.foreach(write)
      case Choice(options) =>
        val jumps = options.init.map { option =>
          val split = add(-1, names.size + 1, -1)
          write(option)
          val jump = add(-1, -1, -1)
          second(split) = names.size
          jump
        }
        write(options.last)
        jumps.foreach(first(_) = names.size)
      case Repeat(part, least, most, isGreedy) =>
        (0 until least).foreach(_ => write(part))
        most match {
          case None =>
            val split = add(-1, -1, -1)
            val more  = if (part.matchesNothing) 1 else 0
            around += more
            write(part)
            add(-1, split, -1, isEnd = more > 0)
            around -= more
            branch(split, isGreedy)
          case Some(limit) =>
            val splits = (least until limit).map { _ =>
              val split = add(-1, -1, -1)
              write(part)
              split
            }
            splits.foreach(branch(_, isGreedy))
        }
    }

    /** Makes an instruction try the part after it and the end of the written instructions. */
    private def branch(split: Int, isGreedy: Boolean): Unit = {
      val (inside, outside) = (split + 1, names.size)
      first(split) = if (isGreedy) inside else outside
      second(split) = if (isGreedy) outside else inside
    }
  }
}
