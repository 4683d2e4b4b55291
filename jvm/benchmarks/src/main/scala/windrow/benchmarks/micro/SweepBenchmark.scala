package windrow.benchmarks.micro

import java.util.concurrent.TimeUnit
import org.openjdk.jmh.annotations._
import org.openjdk.jmh.infra.Blackhole
import windrow.core.aggregate._
import windrow.core.state.KeyMap

/** Compares two stacks with combining all slices of a window again: one slice in, one out, one window. The time per
  * window for all keys shows from how many slices on two stacks are faster.
  */
@OutputTimeUnit(TimeUnit.MICROSECONDS)
class SweepBenchmark extends MicroBenchmark {

  @Param(Array("2", "4", "6", "8", "12", "60"))
  var slices: Int = _

  @Param(Array("100"))
  var keys: Int = _

  private val sums                                       = new Sums
  private var slice: KeyMap[Array[Long]]                 = _
  private var recalculate, twoStacks: Sweep[Array[Long]] = _
  private var position: Long                             = 0L

  @Setup
  def prepare(): Unit = {
    slice = new KeyMap
    (0 until keys).foreach(i => slice.put(Sums.key(i), sums.lift(i.toLong)))
    recalculate = new Recalculate(sums)
    twoStacks = new TwoStacks(sums)
  }

  @Benchmark def afresh(sink: Blackhole): Unit = move(recalculate, sink)
  @Benchmark def stacks(sink: Blackhole): Unit = move(twoStacks, sink)

  private def move(sweep: Sweep[Array[Long]], sink: Blackhole): Unit = {
    position += 1
    sweep.enter(position, slice)
    sweep.leaveBelow(position - slices + 1)
    sweep.window.foreach(value => sink.consume(value))
  }
}
