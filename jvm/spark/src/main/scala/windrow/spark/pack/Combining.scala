package windrow.spark.pack

import java.util.Collections
import java.util.WeakHashMap
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.windrow.SparkInside
import scala.collection.concurrent.TrieMap
import windrow.SpecError
import windrow.SpecProblem

/** Whether messages are combined before they travel. That costs a look-up for each, and pays only where messages of a task
  * have enough in common; so a micro-batch does as the ones before it in its run have shown. What comes out is the same.
  */
private[spark] object Combining {

  /** Spark setting: `auto`, `always` or `never`. */
  val Setting = "spark.windrow.combine"

  /** Where more of the messages are left it does not pay (docs/benchmarks.md). */
  private val Worth = 0.5

  /** So many micro-batches later it is tried again. */
  val Again = 50

  /** Of two micro-batches. */
  private val MostPlans = 4

  private val runs = Collections.synchronizedMap(new WeakHashMap[AnyRef, TrieMap[String, Tried]])

  private val Words = Set("auto", "always", "never")

  /** Refuses a word that the setting does not have. */
  def check(session: SparkSession): Unit = {
    val word = session.conf.get(Setting, "auto")
    if (!Words(word)) throw SpecError(Setting, Seq(SpecProblem("COMBINE_UNKNOWN", "value" -> word)))
  }

  private def said: String = SQLConf.get.getConfString(Setting, "auto")

  /** What is done to messages that can be combined: those that have something in common, as one. */
  def inWords(common: String): String = {
    val combined = s"those that $common as one"
    said match {
      case "always" => combined
      case "never"  => s"each by itself, for $Setting is never"
      case _        => s"$combined while that leaves at most ${(Worth * 100).round} % of them ($Setting)"
    }
  }

  /** @param stream
    *   the name of its metrics
    */
  def pays(stream: String): Boolean = said match {
    case "always" => true
    case "never"  => false
    case _        => of(stream).forall(_.paid())
  }

  /** Remembers what comes of it in the micro-batch that is being planned; not the plan, which would live as long. */
  def noted(stream: String, plan: PackExec): PackExec = {
    val yields = plan.yields
    of(stream).foreach(_.left(() => yields.entriesPerMessage))
    plan
  }

  private def of(stream: String): Option[Tried] = SparkInside.planning.map(run =>
    runs.computeIfAbsent(run, _ => TrieMap.empty).getOrElseUpdate(stream, new Tried))

  /** What came of combining when it was last done to something. */
  final class Tried {
    private var planned = List.empty[() => Option[Double]]
    private var known   = Option.empty[Double]
    private var without = 0

    /** @param found
      *   the share of messages that is left; None: none have come
      */
    def left(found: () => Option[Double]): Unit = synchronized {
      settle()
      planned = (found :: planned).take(MostPlans)
    }

    /** The latest plan that ran: Spark 4.1 plans a batch twice and runs the first. */
    private def settle(): Unit = known = planned.flatMap(_.apply()).headOption.orElse(known)

    def paid(): Boolean = synchronized {
      settle()
      val isOff = known.exists(_ > Worth) && without < Again
      without = if (isOff) without + 1 else 0
      !isOff
    }
  }
}
