package windrow.core.pattern

import windrow.core.store.StoredMessage

/** A row of the match so far that a condition reads (SEMANTICS R158).
  *
  * @param name
  *   the number of the name of the row; None if any name counts
  * @param isFirst
  *   whether it is the first row of the name, and not the last one
  */
final case class EarlierRow(name: Option[Int], isFirst: Boolean)

/** The conditions of the names of a pattern (SEMANTICS R140, R158). Names are numbers. */
trait RowConditions {

  /** Whether a condition reads the previous row. */
  def readsPrevious: Boolean

  /** Returns the names whose conditions a row fulfills, as bits. The bits of names that read earlier rows of the match
    * do not count.
    *
    * @param previous
    *   the previous row, or null
    */
  def classify(previous: StoredMessage, row: StoredMessage): Long

  /** The rows of the match so far that conditions read. */
  def earlier: IndexedSeq[EarlierRow] = IndexedSeq.empty

  /** The positions in `earlier` of the rows that the condition of a name reads. */
  def reads(name: Int): Seq[Int] = Nil

  /** Returns whether a row fulfills the condition of a name that reads earlier rows of the match.
    *
    * @param rows
    *   the rows of `earlier`, each null if there is none
    */
  def holds(name: Int, previous: StoredMessage, row: StoredMessage, rows: Array[StoredMessage]): Boolean = false
}
