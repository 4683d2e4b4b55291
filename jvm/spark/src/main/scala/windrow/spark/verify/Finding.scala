package windrow.spark.verify

/** A problem of a file in a checkpoint.
  *
  * @param file
  *   the path of the file, relative to the checkpoint; the full path for a file of an output
  * @param batch
  *   the micro-batch to which the file belongs; None if it belongs to all
  * @param what
  *   the problem
  * @param remedy
  *   what to do
  * @param isDamage
  *   false if the query no longer needs the file and can continue without it
  */
final case class Finding(file: String, batch: Option[Long], what: String, remedy: String, isDamage: Boolean = true) {
  override def toString: String =
    s"${if (isDamage) "DAMAGE" else "note  "} $file${batch.fold("")(number => s" (batch $number)")}: $what\n      -> $remedy"
}

/** The result of [[CheckpointVerifier]].
  *
  * @param files
  *   the number of files that were read, including checksum files
  */
final case class Verification(checkpoint: String, files: Long, bytes: Long, findings: Seq[Finding]) {

  /** Whether nothing is damaged. */
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

  /** The remedy for a file that does not match its checksums.
    *
    * @param side
    *   the checksum file
    */
  def sums(side: String): String =
    s"$Restore If you know that the file is intact, delete '$side', and the file is read without it."
}
