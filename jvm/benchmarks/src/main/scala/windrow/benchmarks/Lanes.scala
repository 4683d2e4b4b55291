package windrow.benchmarks

import scala.collection.mutable

/** Where contenders run: in processes that are kept, or in one that is made for a run. */
final class Lanes(settings: Map[String, String]) extends AutoCloseable {
  private val kept = mutable.LinkedHashMap.empty[String, Lane]

  /** The process that is kept for those like this one. */
  def lasting(contender: Contender): Lane = kept.getOrElseUpdate(kind(contender), made(contender))

  /** A process for this alone. */
  def once[A](contender: Contender)(use: Lane => A): A = {
    val lane = made(contender)
    try use(lane)
    finally lane.close()
  }

  /** So that those that rest take no memory. */
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
