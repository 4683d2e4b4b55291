package windrow.testkit

/** Runs the core under faults, with watermarks that are set back. The output must be that of the reference without
  * faults.
  *
  * Set `-Dwindrow.simulated=1000000` for more cases of each kind.
  */
class SimulationSuite extends VersusReference {
  private val counts = new SimulationCounts

  override protected def count: Int =
    sys.props.get("windrow.simulated").map(_.toInt).getOrElse(math.max(
      20,
      Drawn.cases / 25))

  override protected def tellings(seed: Long): Seq[(String, Telling)] =
    Seq("simulated" -> new SimulatedEngine(counts, shards = 1 + (seed % 4).toInt).run)

  for ((kind, make) <- Simulate.Kinds) check(s"cases of $kind under faults")(make)

  test("every fault has happened") {
    info(counts.toString)
    val rare = FaultPoint.All.diff(FaultPoint.OfStreams).filter(counts.of(_) < count / 2)
    assert(rare.isEmpty)
    assert(counts.found >= count / 2)
  }
}
