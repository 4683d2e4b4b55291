package windrow.benchmarks.micro

import org.openjdk.jmh.annotations._
import org.openjdk.jmh.infra.Blackhole
import windrow._
import windrow.core.operator._
import windrow.core.shard.Shard
import windrow.core.state.{InMemoryShardStore, Key}
import windrow.core.time.Watermark

/** Measures a step of messages in order, followed by the watermark that completes their windows, on a shard that is
  * read from its store and written back, as in Spark. The time per message includes its share of the panes.
  */
class ShardBenchmark extends MicroBenchmark {

  @Param(Array("tumble 60", "hop 60/10", "hop 60/1", "session 5"))
  var window: String = _

  @Param(Array("100", "10000"))
  var keys: Int = _

  private val sums                      = new Sums
  private var spec: WindowOperatorSpec  = _
  private var store: InMemoryShardStore = _
  private var allKeys: Array[Key]       = _
  private var gap, now: Long            = 0L
  private var turn: Int                 = 0

  @Setup
  def prepare(): Unit = {
    def seconds(n: Long) = TimeSpan(n * 1000000L)
    val kind = window match {
      case "tumble 60" => Tumbling(seconds(60))
      case "hop 60/10" => Hopping(seconds(60), seconds(10))
      case "hop 60/1"  => Hopping(seconds(60), seconds(1))
      case "session 5" => Session(seconds(5))
    }
    spec = WindowOperatorDraft(kind, lateness = Some(TimeSpan.Zero)).checked
    gap = if (window == "session 5") 5000000L else 0L
    allKeys = Array.tabulate(keys)(Sums.key)
    store = new InMemoryShardStore
  }

  @Benchmark
  @OperationsPerInvocation(ShardBenchmark.Messages)
  def step(sink: Blackhole): Unit = {
    val shard = new Shard(spec, sums, store)
    val entries = Iterator.range(0, ShardBenchmark.Messages).map { i =>
      now += ShardBenchmark.MicrosApart
      turn = (turn + 7919) % keys
      Entry(allKeys(turn), Some(now), gap, 1, sums.lift(i.toLong), null, None)
    }
    shard.step(entries, Watermark(now), None).foreach(effect => sink.consume(effect))
  }
}

object ShardBenchmark {

  /** Messages in a step: 2.5 s at 2,000 per second. */
  final val Messages    = 5000
  final val MicrosApart = 500L
}
