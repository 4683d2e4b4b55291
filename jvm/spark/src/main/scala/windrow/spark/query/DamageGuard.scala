package windrow.spark.query

import scala.util.control.NonFatal
import windrow.{CheckpointError, ErrorConditions}

/** Reports every failure to read a checkpoint as damage. */
private[query] object DamageGuard {

  /** Runs code that reads a checkpoint.
    *
    * @param path
    *   the path of the checkpoint, for the error
    */
  def apply[T](path: String)(code: => T): T =
    try code
    catch {
      case ours: CheckpointError => throw ours
      case NonFatal(wrong) =>
        throw damaged(path, Option(wrong.getMessage).flatMap(_.linesIterator.nextOption()).getOrElse(wrong.toString))
    }

  def damaged(path: String, why: String): CheckpointError =
    new CheckpointError(ErrorConditions.message("STATE_DAMAGED.CHECKPOINT", "path" -> path, "why" -> why))
}
