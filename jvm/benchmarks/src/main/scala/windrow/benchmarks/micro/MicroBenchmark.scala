package windrow.benchmarks.micro

import java.util.concurrent.TimeUnit
import org.openjdk.jmh.annotations._

/** The settings of all micro-benchmarks. */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
abstract class MicroBenchmark
