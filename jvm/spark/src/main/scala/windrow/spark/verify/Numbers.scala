package windrow.spark.verify

/** Numbers that name files. What says how far they go may say anything, so none are listed that cannot be. */
private[verify] object Numbers {

  /** Of missing ones so many are told, which is enough to be restored. */
  private val MostMissing = 100

  /** From one to another, as far as it can matter.
    *
    * @param there
    *   how many of them there are at the most
    */
  def range(from: Long, to: Long, there: Int): Seq[Long] =
    Iterator.iterate(from)(_ + 1).takeWhile(number => from <= number && number <= to).take(there + MostMissing).toVector
}
