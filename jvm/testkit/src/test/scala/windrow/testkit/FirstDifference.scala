package windrow.testkit

/** Finds the first random case, of all kinds in turn, on which the core and the reference differ. `scripts/mutants`
  * runs it before all other tests.
  */
object FirstDifference {

  /** @param rounds
    *   the number of cases of each kind
    * @return
    *   a description of the case, or null
    */
  def find(rounds: Int): String = {
    val found = for {
      seed         <- (1L to rounds.toLong).iterator
      (kind, make) <- Simulate.Kinds.iterator
      if differs(make(seed), seed)
    } yield s"a random case of $kind"
    found.nextOption().orNull
  }

  private def differs(transcript: => windrow.replay.TranscriptCase, seed: Long): Boolean =
    try {
      val expected = AgainstReference.expected(transcript)
      Tellings.of(seed).exists { case (_, telling) => AgainstReference.differences(expected, telling).nonEmpty }
    } catch { case _: RuntimeException => true }
}
