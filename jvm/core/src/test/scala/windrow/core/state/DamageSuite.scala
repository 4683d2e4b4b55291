package windrow.core.state

import org.scalatest.funsuite.AnyFunSuite

/** Checks that state whose bytes were changed under a matching checksum raises an error that names it, or is read as
  * something harmless. No memory is allocated for content that cannot exist, and reading ends (SEMANTICS S1). State
  * whose checksum does not match is always rejected.
  */
final class DamageSuite extends AnyFunSuite {

  StoredStates.all.foreach { state =>
    val count = math.max(10, Damage.Count / state.cost)

    test(s"S1: $count damaged values of ${state.name}") {
      val refused = Damage.refused(state.name, state.unchanged, count)(state.damaged)(state.look)
      assert(refused > 0 || count < 100)
    }
  }

  test("S1: segments that lie in each other") {
    val out = new ByteWriter
    out.long(0)
    out.count(2)
    Seq((5L, 9L), (7L, 8L)).foreach { case (first, last) =>
      Seq(first, last).foreach(out.long)
      Seq(1L, 0L).foreach(out.count) // values, additions
    }
    val run = new SortedRun("slices", new InMemoryShardStore, windrow.operators.Sum)
    assert(intercept[DamagedStateError](run.readDirectory(ByteReader(out.result(), "a header"))).getMessage.startsWith(
      "[STATE_DAMAGED] The state contains a damaged value: a header cannot be read, because segment 7 of slices does " +
        "not follow the previous one. "))
  }

  test(s"S1: ${Damage.Count} values with a checksum of other bytes") {
    val values = StoredStates.all.flatMap(_.places).map(_.value).toIndexedSeq
    val refused = Damage.refused("checksums", values.head)(random =>
      Damage.other(values(random.nextInt(values.size)), random))(ByteReader.unsealed(_, "a value"))
    assert(refused == Damage.Count)
  }

  test("S1: each that reads stored bytes is seen to refuse values that are cut off, or go on without an end") {
    val seen = for {
      state <- StoredStates.all
      if state.cost < 1000
      place <- state.places
      content = Damage.contentOf(place.value)
      at    <- content.indices.by(1 + content.length / 60) :+ (content.length - 1)
      other <- Seq(content.take(at), content.updated(at, -1.toByte))
      name  <- Decoders.refusing(state.look(state.having(place, Damage.resealed(other))))
    } yield name
    val unseen = Decoders.of(classOf[ByteReader]) -- seen -- DamageSuite.ReadNothing
    assert(unseen.isEmpty, unseen.toSeq.sorted.mkString("\n", "\n", ""))
  }
}

private object DamageSuite {
  private val ReadNothing = Set("windrow.core.store.NothingCodec.read")
}
