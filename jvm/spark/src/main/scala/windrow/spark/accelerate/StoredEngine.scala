package windrow.spark.accelerate

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import windrow.spark.query.{AcceleratedNames, StoredOperators}

/** The engine whose state a checkpoint contains. It decides who runs the query, because neither engine can read the
  * state of the other.
  */
private sealed trait StoredEngine

private object StoredEngine {

  /** The checkpoint does not contain state yet. */
  case object Nothing extends StoredEngine

  /** Spark runs all operators, except for those that the query itself describes with Windrow. */
  case object Spark extends StoredEngine

  /** Windrow runs some of Spark's operators.
    *
    * @param names
    *   the names in the checkpoint. Empty if Windrow runs all operators, and if the names cannot be read, as before the
    *   first commit. Then Windrow runs those that it would run with a new checkpoint.
    */
  final case class Windrow(count: Int, names: Set[String]) extends StoredEngine {
    def runs(name: String): Boolean = names.isEmpty || names(name)
  }

  /** Returns the engine of a checkpoint. */
  def of(session: SparkSession, checkpoint: String, query: LogicalPlan): StoredEngine = {
    val stored = StoredOperators.of(session, checkpoint)
    val count  = stored.ofWindrow - StatefulNodes.ofWindrow(query)
    if (stored.all == 0) Nothing
    else if (count <= 0) Spark
    else {
      def names = StoredOperators.names(session, checkpoint).flatMap(AcceleratedNames.in)
      Windrow(count, if (count == StatefulNodes.all(query).size) Set.empty else names)
    }
  }
}
