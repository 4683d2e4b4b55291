package windrow.spark.query

import org.apache.spark.sql.SparkSession

/** The state of an operator as its last committed micro-batch left it. It reads the description of the operator, which
  * takes two Spark jobs, only after another commit.
  */
private[query] final class LastState(session: SparkSession, path: String, operator: Option[String], whole: Boolean)
    extends (() => StoredState) {
  private var known: Option[(Long, StoredState)] = None

  def apply(): StoredState = synchronized {
    val last = Checkpoint.lastCommit(session, path)
    known.collectFirst { case (commit, state) if last.contains(commit) => state }.getOrElse {
      val found = Checkpoint.operator(session, path, operator, whole)
      known = last.map(_ -> found)
      found
    }
  }
}
