package windrow.spark.verify

/** What is wrong with a file of a checkpoint.
  *
  * @param file
  *   its path below the checkpoint; of an output its whole path
  * @param batch
  *   of the query, that it belongs to; None: to all
  * @param isDamage
  *   false: nothing depends on it any more, and the query goes on as if it were whole
  */
final case class Finding(file: String, batch: Option[Long], what: String, remedy: String, isDamage: Boolean = true) {
  override def toString: String =
    s"${if (isDamage) "DAMAGE" else "note  "} $file${batch.fold("")(number => s" (batch $number)")}: $what\n      -> $remedy"
}

/** What [[CheckpointVerifier]] found.
  *
  * @param files
  *   how many were read, with those that hold their checksums
  */
final case class Verification(checkpoint: String, files: Long, bytes: Long, findings: Seq[Finding]) {
  def ok: Boolean = !findings.exists(_.isDamage)

  override def toString: String = {
    val head = s"${if (ok) "complete" else "DAMAGED"}: $checkpoint, $files files, $bytes bytes"
    (head +: findings.map(_.toString)).mkString("\n")
  }
}

private[spark] object Remedy {
  val Restore: String =
    "Do not start the query. Restore the file from a copy of the checkpoint, or use a new checkpoint."

  val NotNeeded: String = "You do not have to do anything, because the query does not need the file anymore."

  /** @param side
    *   the file with the checksums
    */
  def sums(side: String): String =
    s"$Restore If you know that the file is intact, delete '$side', and the file is read without it."
}
