package windrow.benchmarks

import org.apache.spark.sql.Column
import org.apache.spark.sql.functions._

/** Windows of a workload, as each side says them; in whole seconds. */
sealed trait Windows {

  /** Spark's own grouping. */
  def column: Column

  /** The function of windrow and the arguments that are its own. */
  def function: (String, String)
}

final case class Hops(size: Int, step: Int) extends Windows {
  def column: Column = window(col("ts"), s"$size seconds", s"$step seconds")
  def function: (String, String) =
    if (size == step) ("windrow_tumble", s"size => '$size seconds'")
    else ("windrow_hop", s"size => '$size seconds', step => '$step seconds'")
}

final case class Gaps(gap: Int) extends Windows {
  def column: Column             = session_window(col("ts"), s"$gap seconds")
  def function: (String, String) = ("windrow_session", s"gap => '$gap seconds'")
}

/** @param mark
  *   what CPU per event may be of that of Spark's own windows, if that is stated
  */
final case class Workload(name: String, events: Events, windows: Windows, mark: Option[Double])

object Workload {
  private val dense  = Events("dense", 1000)
  private val sparse = Events("sparse", 100000)
  private val denseSessions =
    Events("dense-sessions", 1000, Some(Bursts(events = 100, rest = 25))) // 0.4 s apart, 10 s rest
  private val sparseSessions =
    Events("sparse-sessions", 100000, Some(Bursts(events = 10, rest = 240))) // 2 s apart, 480 s rest

  val all: Seq[Workload] = Seq(
    Workload("tumble-dense", dense, Hops(60, 60), Some(1.3)),
    Workload("tumble-sparse", sparse, Hops(60, 60), Some(0.5)),
    Workload("hop-60-10-dense", dense, Hops(60, 10), None),
    Workload("hop-60-1-dense", dense, Hops(60, 1), Some(0.25)),
    Workload("hop-60-10-sparse", sparse, Hops(60, 10), Some(0.5)),
    Workload("session-dense", denseSessions, Gaps(5), None),
    Workload("session-sparse", sparseSessions, Gaps(5), None))
}
