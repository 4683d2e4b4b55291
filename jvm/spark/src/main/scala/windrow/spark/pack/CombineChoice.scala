package windrow.spark.pack

import java.util.{Collections, WeakHashMap}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.windrow.SparkInside
import scala.collection.concurrent.TrieMap
import windrow.{SpecError, SpecProblem}

/** Decides whether rows are combined before the shuffle. Combining costs a hash lookup per row and pays off only if the
  * rows of a task can often be combined. The decision for a micro-batch depends on the previous ones of the same run.
  * It does not change the output.
  */
private[spark] object CombineChoice {

  /** The Spark setting: `auto`, `always` or `never`. */
  val Setting = "spark.windrow.combine"

  /** The greatest share of entries per row at which combining pays off (docs/benchmarks.md). */
  private val Worth = 0.5

  /** The number of micro-batches after which combining is tried again. */
  val Again = 50

  /** The number of plans in two micro-batches. */
  private val MostPlans = 4

  private val runs = Collections.synchronizedMap(new WeakHashMap[AnyRef, TrieMap[String, CombineTrial]])

  private val Words = Set("auto", "always", "never")

  /** Rejects an unknown value of the setting. */
  def check(session: SparkSession): Unit = {
    val word = session.conf.get(Setting, "auto")
    if (!Words(word)) throw SpecError(Setting, Seq(SpecProblem("COMBINE_UNKNOWN", "value" -> word)))
  }

  private def setting: String = SQLConf.get.getConfString(Setting, "auto")

  /** Describes how rows that can be combined are sent. */
  def inWords(common: String): String = {
    val combined = s"combined if they $common"
    setting match {
      case "always" => combined
      case "never"  => s"each separately, because $Setting is never"
      case _        => s"$combined, as long as that leaves at most ${(Worth * 100).round} % of them ($Setting)"
    }
  }

  /** Whether combining pays off.
    *
    * @param stream
    *   the name of the operator's metrics
    */
  def pays(stream: String): Boolean = setting match {
    case "always" => true
    case "never"  => false
    case _        => of(stream).forall(_.paid())
  }

  /** Records how many entries are left in the micro-batch that is being planned. Keeps only the metrics of the plan,
    * because the plan itself would stay in memory as long as the run.
    */
  def noted(stream: String, plan: PackExec): PackExec = {
    val yields = plan.yields
    of(stream).foreach(_.left(() => yields.entriesPerMessage))
    plan
  }

  private def of(stream: String): Option[CombineTrial] = SparkInside.planning.map(run =>
    runs.computeIfAbsent(run, _ => TrieMap.empty).getOrElseUpdate(stream, new CombineTrial))

  /** The result of the most recent micro-batches in which rows were combined. */
  final class CombineTrial {
    private var planned = List.empty[() => Option[Double]]
    private var known   = Option.empty[Double]
    private var without = 0

    /** Adds a plan.
      *
      * @param found
      *   returns the share of entries per row, or None before the first row
      */
    def left(found: () => Option[Double]): Unit = synchronized {
      settle()
      planned = (found :: planned).take(MostPlans)
    }

    /** Uses the latest plan that has run. Spark 4.1 plans a micro-batch twice and runs the first plan. */
    private def settle(): Unit = known = planned.flatMap(_.apply()).headOption.orElse(known)

    def paid(): Boolean = synchronized {
      settle()
      val isOff = known.exists(_ > Worth) && without < Again
      without = if (isOff) without + 1 else 0
      !isOff
    }
  }
}
