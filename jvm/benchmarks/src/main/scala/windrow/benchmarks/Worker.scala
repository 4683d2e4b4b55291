package windrow.benchmarks

import scala.io.Source.fromInputStream
import scala.util.control.NonFatal

/** A JVM that does jobs: it reads one line of JSON for each from its input, and writes one line for each to its output.
  */
object Worker {

  /** The prefix of each answer, because other code may write to the output too. */
  val Sign = "windrow-bench "

  /** @param words
    *   settings of Spark, NAME=VALUE
    */
  def main(words: Array[String]): Unit = {
    val settings = words.map(_.split("=", 2)).collect { case Array(name, value) => name -> value }.toMap
    val session  = BenchSession.start(settings)
    val desk     = new Desk(session)
    try
      fromInputStream(System.in).getLines().foreach { line =>
        println(Sign + Text.line(safely(desk.answered(Text.read[Job](line)))))
      }
    finally {
      session.stop()
      desk.close()
    }
  }

  private[benchmarks] def safely(reply: => Reply): Reply =
    try reply
    catch { case NonFatal(e) => Reply(error = Some(s"${e.getClass.getSimpleName}: ${e.getMessage}")) }
}
