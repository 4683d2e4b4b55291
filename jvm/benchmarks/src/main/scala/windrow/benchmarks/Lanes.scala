package windrow.benchmarks

import scala.collection.mutable

/** The processes of contenders: shared ones that are kept, and separate ones for a single use. */
final class Lanes(settings: Map[String, String]) extends AutoCloseable {
  private val kept = mutable.LinkedHashMap.empty[String, Lane]

  /** Returns the shared process for contenders of this kind. */
  def lasting(contender: Contender): Lane = kept.getOrElseUpdate(kind(contender), made(contender))

  /** Starts a process, uses it, and closes it. */
  def once[A](contender: Contender)(use: Lane => A): A = {
    val lane = made(contender)
    try use(lane)
    finally lane.close()
  }

  /** Closes all shared processes, so that idle ones use no memory. */
  def close(): Unit = {
    kept.values.foreach(_.close())
    kept.clear()
  }

  private def kind(contender: Contender): String = contender match {
    case _: InSpark       => "spark"
    case _: InFlink       => "flink"
    case Contender.Python => "python"
  }

  private def made(contender: Contender): Lane = contender match {
    case _: InSpark       => Lane.spark(settings)
    case _: InFlink       => Lane.flink()
    case Contender.Python => Lane.python(settings)
  }
}
