package windrow.testkit

import java.lang.management.ManagementFactory
import scala.util.control.NonFatal
import windrow.replay._

/** Runs random cases on the core under faults for a given time, and compares with the reference: `scripts/simulate`. */
object Simulate {

  /** The kinds of cases, with a function from a seed to a case. */
  val Kinds: Seq[(String, Long => TranscriptCase)] =
    (RandomFamily.All.map(family =>
      family.name -> ((seed: Long) =>
        RandomCase(seed, family, offsets = seed % 5 != 0, counters = seed % 2 == 0))) ++ Seq(
      "full state" -> (RandomStoreCase.fullState(_: Long)),
      "joins"      -> (RandomStoreCase.join(_: Long)),
      "co-groups"  -> (RandomStoreCase.coGroup(_: Long)),
      "dedup"      -> (RandomDedupCase(_: Long)),
      "policies"   -> (RandomPolicyCase(_: Long)))).map { case (name, make) =>
      name -> ((seed: Long) => Backwards(make(seed)))
    }

  /** The number of runs of a case, each with other faults. The reference is slow and gives the same result for all of
    * them.
    */
  private val Tellings = 20

  /** A run of at least `LongRun` steps fails if any fault has happened fewer than `Often` times. */
  private val LongRun = 10000000L
  private val Often   = 1000L

  /** Returns the case of a seed. The seed determines the kind and the stream; the id of the case determines its faults.
    */
  def of(seed: Long): TranscriptCase = Kinds(Math.floorMod(seed, Kinds.size.toLong).toInt)._2(seed / Kinds.size)

  /** @param arguments
    *   minutes, first seed, threads
    */
  def main(arguments: Array[String]): Unit = {
    val (minutes, first, threads) = (arguments(0).toDouble, arguments(1).toLong, arguments(2).toInt)
    val until                     = System.nanoTime + (minutes * 6e10).toLong
    val counts                    = Seq.fill(threads)(new SimulationCounts)
    @volatile var breach          = false
    val all = counts.zipWithIndex.map { case (counts, index) =>
      new Thread(() => {
        var seed = first + index
        while (!breach && System.nanoTime < until) {
          breached(seed, counts).foreach { text =>
            breach = true
            println(text)
          }
          seed += threads
        }
      })
    }
    all.foreach(_.start())
    val reports = new Thread(() => while (true) { Thread.sleep(600000); println(figures(counts.reduce(_ and _))) })
    reports.setDaemon(true)
    reports.start()
    all.foreach(_.join())
    val total = counts.reduce(_ and _)
    println(figures(total))
    val rare = if (total.steps >= LongRun) FaultPoint.All.filter(total.of(_) < Often) else Nil
    if (rare.nonEmpty) println(s"too rare for a conclusion: ${rare.mkString(", ")}")
    if (breach || rare.nonEmpty) sys.exit(1)
  }

  private def figures(total: SimulationCounts): String = {
    val cpu = ManagementFactory.getOperatingSystemMXBean match {
      case system: com.sun.management.OperatingSystemMXBean => system.getProcessCpuTime / 6e10
      case _                                                => Double.NaN
    }
    f"$total; ${total.cases} cases, each with $Tellings schedules of faults; in $cpu%.1f minutes of CPU, in each of them " +
      s"${(total.simulated / 8.64e10 / cpu).round} days of event time and ${(total.steps / cpu).round} steps"
  }

  /** Returns the failure of the case of a seed, shrunk, as a line for `scripts/replay --engine simulated`. */
  def breached(
      seed: Long,
      counts: SimulationCounts,
      tellings: Int = Tellings,
      planted: CoreOperator => CoreOperator = identity): Option[String] = {
    counts.cases += 1
    val transcript = of(seed)
    try {
      val expected = AgainstReference.expected(transcript)
      Happened.count(expected, tellings, counts)
      val telling: AgainstReference.Telling = new SimulatedEngine(counts, planted = planted).run(_)
      (0 until tellings).iterator.map(number => s"${transcript.id}, faults $number")
        .find(id => AgainstReference.differences(expected.copy(id = id), telling).nonEmpty)
        .map(id => report(seed, transcript.copy(id = id), telling))
    } catch { case NonFatal(error) => Some(s"seed $seed, ${transcript.id}: $error") }
  }

  private def report(seed: Long, transcript: TranscriptCase, telling: AgainstReference.Telling): String = {
    val small       = AgainstReference.expected(AgainstReference.smallest(transcript, telling))
    val differences = AgainstReference.differences(small, telling)
    s"seed $seed, ${transcript.id}:\n${differences.mkString("\n")}\n${TranscriptWriter.write(small)}"
  }
}
