package windrow.spark.verify

/** Enumerates numbers that name files. Limits the enumeration, because a damaged file may state any upper limit. */
private[verify] object FileNumbers {

  /** The maximum number of missing files that are reported. That is enough for a remedy. */
  private val MostMissing = 100

  /** Returns the numbers of a range, up to a limit.
    *
    * @param there
    *   the maximum number of existing files
    */
  def range(from: Long, to: Long, there: Int): Seq[Long] =
    Iterator.iterate(from)(_ + 1).takeWhile(number => from <= number && number <= to).take(there + MostMissing).toVector
}
