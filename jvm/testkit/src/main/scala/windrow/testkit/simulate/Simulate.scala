package windrow.testkit

import windrow.replay._

import java.lang.management.ManagementFactory
import scala.util.control.NonFatal

/** Random cases on the core under faults, against the reference, until the time is over: `scripts/simulate`. */
object Simulate {

  /** What is simulated, and a case of each seed. */
  val Kinds: Seq[(String, Long => TranscriptCase)] =
    (RandomFamily.All.map(family =>
      family.name -> ((seed: Long) => RandomCase(seed, family, offsets = seed % 5 != 0))) ++ Seq(
      "full state" -> (RandomStoreCase.fullState(_: Long)),
      "joins"      -> (RandomStoreCase.join(_: Long)),
      "co-groups"  -> (RandomStoreCase.coGroup(_: Long)),
      "policies"   -> (RandomPolicyCase(_: Long)))).map { case (name, make) =>
      name -> ((seed: Long) => Backwards(make(seed)))
    }

  /** The case of a seed: its kind, its stream, and by its id its faults. */
  def of(seed: Long): TranscriptCase = Kinds(Math.floorMod(seed, Kinds.size.toLong).toInt)._2(seed / Kinds.size)

  /** @param arguments
    *   minutes, first seed, threads
    */
  def main(arguments: Array[String]): Unit = {
    val (minutes, first, threads) = (arguments(0).toLong, arguments(1).toLong, arguments(2).toInt)
    val until                     = System.nanoTime + minutes * 60000000000L
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
    all.foreach(_.join())
    val total = counts.reduce(_ and _)
    val cpu = ManagementFactory.getOperatingSystemMXBean match {
      case system: com.sun.management.OperatingSystemMXBean => system.getProcessCpuTime / 6e10
      case _                                                => Double.NaN
    }
    println(s"$total; ${total.cases} cases; ${(total.simulated / 8.64e10 / cpu).round} days of event time, " +
      s"${(total.steps / cpu).round} steps, for each minute of CPU")
    if (breach) sys.exit(1)
  }

  /** What is wrong with the case of a seed, made small, as a line for `scripts/replay --engine simulated`. */
  def breached(seed: Long, counts: SimulationCounts): Option[String] = {
    counts.cases += 1
    val transcript = of(seed)
    try {
      val telling: AgainstReference.Telling = new SimulatedEngine(counts).run(_)
      val different = AgainstReference.differences(AgainstReference.expected(transcript), telling)
      Option.when(different.nonEmpty) {
        val small = AgainstReference.expected(AgainstReference.smallest(transcript, telling))
        val says  = AgainstReference.differences(small, telling)
        s"seed $seed, ${transcript.id}:\n${says.mkString("\n")}\n${TranscriptWriter.write(small)}"
      }
    } catch { case NonFatal(error) => Some(s"seed $seed, ${transcript.id}: $error") }
  }
}
