package windrow.spark.query

import scala.util.control.NonFatal
import windrow.CheckpointError
import windrow.ErrorConditions

/** What cannot be read of a checkpoint is damaged. */
private[query] object Reading {

  /** @param path
    *   of the checkpoint, for the error
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
