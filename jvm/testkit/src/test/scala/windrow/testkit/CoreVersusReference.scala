package windrow.testkit

/** Every kind of window, and every family of specs that the generators know (SEMANTICS R75, S3). */
class CoreVersusReference extends VersusReference {

  /** What the core cannot do yet. */
  private val notYet: Set[RandomFamily] = Set(RandomFamily.Endless)

  for (family <- RandomFamily.All.filterNot(notYet))
    check(s"${family.name} cases")(seed => RandomCase(seed, family, offsets = seed % 5 != 0))

  check("cases whose state is cut into many pieces", math.min(20, count / 100 + 1))(RandomCase(_, scale = 40))

  for (family <- notYet) test(s"${family.name}: the core says that it cannot do it yet") {
    assert(new CoreEngine().run(RandomCase(first, family)).isInstanceOf[Outcome.NotRun])
  }
}
