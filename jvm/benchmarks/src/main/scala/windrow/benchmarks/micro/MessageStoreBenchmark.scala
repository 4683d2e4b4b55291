package windrow.benchmarks.micro

import org.openjdk.jmh.annotations._
import org.openjdk.jmh.infra.Blackhole
import windrow._
import windrow.core.fullstate.FullStateShard
import windrow.core.state.InMemoryShardStore
import windrow.core.store.Incoming
import windrow.core.time.{Axis, Watermark}

/** A full-state operator that keeps the newest n messages of one key. Measures a step of messages, of which the oldest
  * retire, and one query for the newest hundred, as time per message.
  */
class MessageStoreBenchmark extends MicroBenchmark {

  @Param(Array("100", "1000", "10000", "100000", "1000000"))
  var n: Int = _

  /** Maximal distance of a message from the newest one, as a share of n. */
  @Param(Array("0.0", "0.1", "1.0"))
  var disorder: Double = _

  private val key                       = Sums.key(1)
  private val payload                   = new Array[Byte](40)
  private val random                    = new java.util.Random(1)
  private var spec: FullStateSpec       = _
  private var store: InMemoryShardStore = _
  private var newest: Long              = 0L

  @Setup
  def prepare(sink: Blackhole): Unit = {
    spec = FullStateDraft(
      Tumbling(TimeSpan(60000L * MessageStoreBenchmark.MicrosApart)),
      lateness = Some(TimeSpan.Zero),
      retention = Retention(messages = Some(n.toLong))).checked
    store = new InMemoryShardStore
    newest = 0L
    Iterator.fill(n / MessageStoreBenchmark.Messages + 1)(()).foreach(_ => step(sink))
  }

  @Benchmark
  @OperationsPerInvocation(MessageStoreBenchmark.Messages)
  def step(sink: Blackhole): Unit = {
    val shard = new FullStateShard(spec, store)
    val reach = (disorder * n * MessageStoreBenchmark.MicrosApart).toLong
    val messages = Iterator.fill(MessageStoreBenchmark.Messages) {
      newest += MessageStoreBenchmark.MicrosApart
      Incoming(key, Some(newest - (random.nextDouble() * reach).toLong), None, payload)
    }
    shard.step(messages, Watermark(newest - reach), None).foreach(delta => sink.consume(delta))
    sink.consume(shard.getMessages(Some(newest - 100 * MessageStoreBenchmark.MicrosApart), None, Some(key), Axis.Time))
  }
}

object MessageStoreBenchmark {
  final val Messages    = 1000
  final val MicrosApart = 1000L
}
