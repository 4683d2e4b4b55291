package windrow.flink

import com.sun.management.OperatingSystemMXBean
import java.lang.management.ManagementFactory

/** Measures the CPU and wall time of the process from the first measured event of all sources to their last event.
  *
  * @param dropped
  *   the number of events of a source that are not measured
  */
final class Meter(dropped: Long) {
  private val process = ManagementFactory.getOperatingSystemMXBean.asInstanceOf[OperatingSystemMXBean]
  private var begun   = now()
  private var ended   = begun
  private var rows    = 0L
  private var sum     = 0L
  private var xor     = 0L

  def passed(at: Long, of: Long): Unit = {
    if (at == dropped) synchronized { begun = now() }
    if (at == of - 1) synchronized { ended = now() }
  }

  def came(rows: Long, sum: Long, xor: Long): Unit = synchronized {
    this.rows += rows
    this.sum += sum
    this.xor ^= xor
  }

  /** Returns the reply in the format of windrow.benchmarks.Reply. Without events, because only rows are requested, the
    * figures are meaningless.
    */
  def reply(events: Long, megabytes: Long): String = synchronized {
    val (cpu, wall) = (ended._1 - begun._1, ended._2 - begun._2)
    s"""{"measured":{"cpu":${cpu / 1000.0 / math.max(
        1,
        events)},"perSecond":${events * 1e9 / wall},"digest":{"rows":$rows,"sum":$sum,""" +
      s""""xor":$xor},"stateBytes":-1,"residentMegabytes":$megabytes,"slowestBatch":0.0}}"""
  }

  private def now() = (process.getProcessCpuTime, System.nanoTime)
}
