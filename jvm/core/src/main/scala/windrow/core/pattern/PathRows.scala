package windrow.core.pattern

import java.util.Arrays

/** The earlier rows of a match that conditions read, along the path that a search tries (SEMANTICS R158). The search
  * tries paths in depth-first order, so the records before a row are still valid when it returns to the row.
  *
  * @param slots
  *   the rows that conditions read
  * @param reads
  *   for each name the positions in `slots` that its condition reads
  */
private[core] final class PathRows(program: RowProgram, slots: IndexedSeq[EarlierRow], reads: Int => Seq[Int]) {
  private val width   = slots.size
  private val isFirst = slots.map(_.isFirst).toArray
  private val nameOf  = slots.map(_.name.getOrElse(-1)).toArray
  private val readBy  = program.names.map(name => if (name < 0) Array.emptyIntArray else reads(name).toArray)
  private val live    = PathRows.live(program, slots, readBy)

  /** For each row after the first, the rows in the slots before it. */
  private var rows = new Array[Int](8 * width)
  private val now  = new Array[Int](width)

  /** Begins a match at a row. */
  def begin(start: Int): Unit = (0 until width).foreach(slot => rows(slot) = if (nameOf(slot) < 0) start else -1)

  /** Whether the condition of an instruction reads earlier rows. */
  def isRead(instruction: Int): Boolean = readBy(instruction).length > 0

  /** Returns the rows that the condition of an instruction reads, by their slots; -1 if there is none. The array is
    * valid until the next call.
    *
    * @param at
    *   the number of rows of the match before the row
    */
  def before(instruction: Int, at: Int, row: Int): Array[Int] = {
    Arrays.fill(now, -1)
    readBy(instruction).foreach { slot =>
      val found = rows(at * width + slot)
      now(slot) = if (found < 0 && nameOf(slot) == program.names(instruction)) row else found
    }
    now
  }

  /** Records that a row has the name of an instruction. */
  def add(instruction: Int, at: Int, row: Int): Unit = if (width > 0) {
    val (from, to) = (at * width, (at + 1) * width)
    if (to + width > rows.length) rows = Arrays.copyOf(rows, 2 * rows.length)
    var slot = 0
    while (slot < width) {
      val old    = rows(from + slot)
      val isKept = nameOf(slot) != program.names(instruction) || (isFirst(slot) && old >= 0)
      rows(to + slot) = if (isKept) old else row
      slot += 1
    }
  }

  /** Whether what follows an instruction depends on earlier rows. */
  def isOpen(instruction: Int): Boolean = live(instruction).length > 0

  /** Returns the earlier rows that an instruction or a later one can read, with room for two more numbers. */
  def open(instruction: Int, at: Int): Array[Int] = {
    val slots = live(instruction)
    val found = new Array[Int](slots.length + 2)
    var i     = 0
    while (i < slots.length) {
      found(i + 2) = rows(at * width + slots(i))
      i += 1
    }
    found
  }
}

private[core] object PathRows {

  /** For each instruction the slots that it or a later instruction reads before another row takes their place. The first
    * row of a match never changes.
    */
  private def live(program: RowProgram, slots: IndexedSeq[EarlierRow], reads: Array[Array[Int]]): Array[Array[Int]] = {
    val all     = Array.fill(program.size)(Set.empty[Int])
    val varying = slots.indices.filter(slots(_).name.isDefined).toSet
    def after(at: Int) =
      if (at == program.end) Set.empty[Int]
      else if (program.names(at) >= 0) all(at + 1)
      else all(program.first(at)) ++ (if (program.second(at) >= 0) all(program.second(at)) else Nil)
    def found(at: Int) = {
      val name     = program.names(at)
      val replaced = slots.indices.filter(slot => name >= 0 && slots(slot) == EarlierRow(Some(name), isFirst = false))
      (after(at) -- replaced ++ reads(at)).intersect(varying)
    }
    var isDone = slots.isEmpty
    while (!isDone) {
      isDone = true
      program.names.indices.reverse.foreach { at =>
        val slotsHere = found(at)
        if (slotsHere != all(at)) {
          all(at) = slotsHere
          isDone = false
        }
      }
    }
    all.map(_.toArray.sorted)
  }
}
