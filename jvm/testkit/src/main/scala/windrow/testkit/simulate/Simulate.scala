package windrow.testkit

import windrow.replay._

import java.lang.management.ManagementFactory
import scala.util.control.NonFatal

/** Random cases on the core under faults, against the reference, until the time is over: `scripts/simulate`. */
object Simulate {

  /** What is simulated, and a case of each seed. */
  val Kinds: Seq[(String, Long => TranscriptCase)] =
    (RandomFamily.All.map(family =>
      family.name -> ((seed: Long) =>
        RandomCase(seed, family, offsets = seed % 5 != 0, counters = seed % 2 == 0))) ++ Seq(
      "full state" -> (RandomStoreCase.fullState(_: Long)),
      "joins"      -> (RandomStoreCase.join(_: Long)),
      "co-groups"  -> (RandomStoreCase.coGroup(_: Long)),
      "policies"   -> (RandomPolicyCase(_: Long)))).map { case (name, make) =>
      name -> ((seed: Long) => Backwards(make(seed)))
    }

  /** How often a case is told, each time with other faults: the reference is slow, and gives the same for all. */
  private val Tellings = 20

  /** From so many steps on every fault must have happened so often. */
  private val LongRun = 10000000L
  private val Often   = 1000L

  /** The case of a seed: its kind, its stream, and by its id its faults. */
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

  /** What is wrong with the case of a seed, made small, as a line for `scripts/replay --engine simulated`. */
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
        .map(id => told(seed, transcript.copy(id = id), telling))
    } catch { case NonFatal(error) => Some(s"seed $seed, ${transcript.id}: $error") }
  }

  private def told(seed: Long, transcript: TranscriptCase, telling: AgainstReference.Telling): String = {
    val small = AgainstReference.expected(AgainstReference.smallest(transcript, telling))
    val says  = AgainstReference.differences(small, telling)
    s"seed $seed, ${transcript.id}:\n${says.mkString("\n")}\n${TranscriptWriter.write(small)}"
  }
}
