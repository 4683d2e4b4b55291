package windrow.benchmarks.micro

import org.openjdk.jmh.annotations._
import windrow.core.state._

/** A sorted run that contains many positions. Measures a step that opens it from its store, adds a few values, removes
  * as many from its start, and writes it back, as time per value. In order, the time should not grow with the number of
  * positions.
  */
class SortedRunBenchmark extends MicroBenchmark {

  @Param(Array("100", "1000", "10000", "100000", "1000000"))
  var positions: Int = _

  /** Maximal distance of a value from the newest one, as a share of the positions. */
  @Param(Array("0.0", "0.1", "1.0"))
  var disorder: Double = _

  private val sums                      = new Sums
  private val random                    = new java.util.Random(1)
  private var store: InMemoryShardStore = _
  private var newest: Long              = 0L
  private val key                       = Sums.key(1)

  @Setup
  def prepare(): Unit = {
    store = new InMemoryShardStore
    newest = 0L
    step(positions)
  }

  @Benchmark
  @OperationsPerInvocation(SortedRunBenchmark.Values)
  def step(): Unit = step(SortedRunBenchmark.Values)

  private def step(values: Int): Unit = {
    val run = new SortedRun("positions", store, sums)
    if (store.header != null) run.readDirectory(ByteReader(store.header))
    (0 until values).foreach { _ =>
      newest += 1
      val behind = (random.nextDouble() * disorder * positions).toLong
      val keyed  = run.at(math.max(newest - behind, 1L))
      val before = keyed.get(key)
      keyed.put(key, if (before == null) sums.lift(newest) else sums.combine(before, sums.lift(newest)))
    }
    run.dropBelow(newest - positions)
    run.flush()
    val directory = new ByteWriter
    run.writeDirectory(directory)
    store.putHeader(directory.result())
  }
}

object SortedRunBenchmark {
  final val Values = 100
}
