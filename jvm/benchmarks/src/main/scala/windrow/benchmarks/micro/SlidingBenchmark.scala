package windrow.benchmarks.micro

import org.openjdk.jmh.annotations._
import org.openjdk.jmh.infra.Blackhole
import windrow._
import windrow.core.operator._
import windrow.core.shard.Shard
import windrow.core.state.InMemoryShardStore
import windrow.core.time.Watermark

/** Per-event sliding windows of one key that contain n messages each. Measures a step of messages, followed by the
  * watermark that completes their windows. The time per message includes its two panes on time, and should not grow
  * with n.
  */
class SlidingBenchmark extends MicroBenchmark {

  @Param(Array("100", "1000", "10000", "100000", "1000000"))
  var n: Int = _

  /** Maximal distance of a message from the newest one, as a share of n. */
  @Param(Array("0.0", "0.1", "1.0"))
  var disorder: Double = _

  private val sums                      = new Sums
  private val key                       = Sums.key(1)
  private val random                    = new java.util.Random(1)
  private var spec: WindowOperatorSpec  = _
  private var store: InMemoryShardStore = _
  private var newest: Long              = 0L

  @Setup
  def prepare(sink: Blackhole): Unit = {
    spec = WindowOperatorDraft(
      Sliding(TimeSpan(n * SlidingBenchmark.MicrosApart)),
      lateness = Some(TimeSpan.Zero)).checked
    store = new InMemoryShardStore
    newest = 0L
    Iterator.fill(n / SlidingBenchmark.Messages + 1)(()).foreach(_ => step(sink))
  }

  @Benchmark
  @OperationsPerInvocation(SlidingBenchmark.Messages)
  def step(sink: Blackhole): Unit = {
    val shard = new Shard(spec, sums, store)
    val reach = (disorder * n * SlidingBenchmark.MicrosApart).toLong
    val entries = Iterator.range(0, SlidingBenchmark.Messages).map { i =>
      newest += SlidingBenchmark.MicrosApart
      val time = newest - (random.nextDouble() * reach).toLong
      Entry(key, Some(time), 0, 1, sums.lift(i.toLong), null, None)
    }
    shard.step(entries, Watermark(newest - reach), None).foreach(effect => sink.consume(effect))
  }
}

object SlidingBenchmark {
  final val Messages    = 1000
  final val MicrosApart = 1000L
}
