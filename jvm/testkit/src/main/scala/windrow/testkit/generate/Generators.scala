package windrow.testkit

import org.scalacheck.{Arbitrary, Gen, Shrink}
import windrow.replay._

/** Random cases ([[RandomCase]]) as ScalaCheck generators. */
object Generators {

  /** A case of any family. Its id contains the seed. */
  val cases: Gen[TranscriptCase] = for {
    seed    <- Gen.long
    family  <- Gen.oneOf(RandomFamily.All)
    offsets <- Gen.frequency(4 -> true, 1 -> false)
  } yield RandomCase(seed, family, offsets)

  implicit val arbitraryCase: Arbitrary[TranscriptCase] = Arbitrary(cases)

  /** Shrinks to the smallest case that still fails, by leaving out steps and messages. */
  implicit val shrinkCase: Shrink[TranscriptCase] =
    Shrink.withLazyList(transcript => LazyList.from(Recut.smaller(transcript)))
}
