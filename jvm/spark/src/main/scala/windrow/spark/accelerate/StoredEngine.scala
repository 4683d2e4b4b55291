package windrow.spark.accelerate

import org.apache.spark.sql.SparkSession
import windrow.spark.query.StoredOperators

/** The engine whose state a checkpoint contains. It decides who runs the query, because neither engine can read the
  * state of the other.
  */
private sealed trait StoredEngine

private object StoredEngine {

  /** The checkpoint does not contain state yet. */
  case object Nothing extends StoredEngine

  /** Spark runs all operators, except for those that the query itself describes with Windrow. */
  case object Spark extends StoredEngine

  /** Windrow runs some of Spark's operators. */
  final case class Windrow(operators: Int) extends StoredEngine

  /** Returns the engine of a checkpoint.
    *
    * @param described
    *   the number of operators that the query describes with Windrow
    */
  def of(session: SparkSession, checkpoint: String, described: Int): StoredEngine = {
    val stored = StoredOperators.of(session, checkpoint)
    if (stored.all == 0) Nothing
    else if (stored.ofWindrow > described) Windrow(stored.ofWindrow - described)
    else Spark
  }
}
