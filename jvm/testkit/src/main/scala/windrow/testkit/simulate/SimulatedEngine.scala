package windrow.testkit

import scala.util.Random
import windrow.replay._

/** The core with faults between and inside its steps. The output must equal the output without faults.
  *
  * The faults follow from the id of the case alone, so that a failed case fails again.
  *
  * @param planted
  *   wraps the core in an operator with a bug, in tests that check that the simulator finds it
  */
final class SimulatedEngine(
    val counts: SimulationCounts = new SimulationCounts,
    shards: Int = 3,
    log: String => Unit = _ => (),
    planted: CoreOperator => CoreOperator = identity)
    extends CoreEngine(shards) {

  /** The constructor for `java.util.ServiceLoader`. */
  def this() = this(new SimulationCounts)

  override def name: String = "simulated"

  private var faults = new Faults(counts)

  override private[windrow] def stores: CoreStores.Wrap = faults.around

  override private[windrow] def operator(transcript: TranscriptCase, sizes: CoreStores.Sizes) = {
    faults.reopen()
    super.operator(transcript, sizes)
  }

  override private[windrow] def drive(transcript: TranscriptCase, operator: CoreOperator): Outcome = {
    def another(transcript: TranscriptCase, sizes: CoreStores.Sizes) =
      planted(this.operator(
        transcript,
        sizes).fold(problems => throw new IllegalArgumentException(problems.mkString), identity))
    new Simulation(
      transcript,
      planted(operator),
      another,
      faults,
      new Random(transcript.id.hashCode.toLong),
      log).run()
  }

  override def run(transcript: TranscriptCase): Outcome = {
    faults = new Faults(counts)
    super.run(transcript)
  }
}

/** Applies faults to the stores of all shards, in one attempt at a time. */
private[testkit] final class Faults(val counts: SimulationCounts) {
  private var attempt = quiet
  private var opened  = 0
  private val before  = scala.collection.mutable.ArrayBuffer.empty[Before]

  private def quiet = new Attempt(None, 0, commits = false, counts)

  def around: CoreStores.Wrap = { store =>
    if (opened == before.size) before += new Before
    val own = before(opened)
    opened += 1
    new FaultyStore(store, own, () => attempt)
  }

  /** Starts again with the first shard, because all shards are opened next, in their order. */
  def reopen(): Unit = opened = 0

  /** Runs an attempt under a fault.
    *
    * @return
    *   the result, None if the store failed; and whether the fault has happened
    */
  def during[A](fault: Option[FaultPoint], at: Int, commits: Boolean = false)(run: => A): (Option[A], Boolean) = {
    attempt = new Attempt(fault, at, commits, counts)
    counts.attempts += 1
    counts.steps += before.size
    try {
      val came =
        try Some(run)
        catch { case _: StoreFault => None }
      (came, attempt.isHit)
    } finally attempt = quiet
  }
}
