package windrow.testkit

import windrow.replay._

import org.scalacheck.{Arbitrary, Gen, Shrink}

/** [[RandomCase]] for ScalaCheck. */
object Generators {

  /** Any case; its seed is in its id. */
  val cases: Gen[TranscriptCase] = for {
    seed    <- Gen.long
    family  <- Gen.oneOf(RandomFamily.All)
    offsets <- Gen.frequency(4 -> true, 1 -> false)
  } yield RandomCase(seed, family, offsets)

  implicit val arbitraryCase: Arbitrary[TranscriptCase] = Arbitrary(cases)

  /** To the smallest case that still fails: steps and messages are left out. */
  implicit val shrinkCase: Shrink[TranscriptCase] =
    Shrink.withLazyList(transcript => LazyList.from(Recut.smaller(transcript)))
}
