package windrow.spark.sinks

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import scala.jdk.CollectionConverters._
import scala.util.Try
import windrow.spark.running.Claim

/** The tables and files that a start creates before Spark starts the query. A start that fails later removes them. */
private[spark] final class SinkClaim(session: SparkSession, checkpoint: String, sinks: QuerySinks) {
  private val claim = new Claim(session, checkpoint, sinks.files.map(_.path))

  /** Returns what `take` will create. */
  def missing: SinkClaim.MissingTargets =
    SinkClaim.MissingTargets(claim.missing, sinks.stated.flatMap(_.sink.missing(session)))

  /** Creates the tables and claims the folders. Repeated calls change nothing.
    *
    * @param plan
    *   the rows of the query
    * @return
    *   the id of the query in the checkpoint
    */
  def take(plan: LogicalPlan, drain: Boolean): String = {
    sinks.stated.foreach(one => one.sink.make(session, SinkCheck.rowsOf(plan, one.kind)))
    claim.take(drain)
  }

  /** Removes the files and tables that `take` has created, unless the query has a micro-batch. Tables are removed with
    * SQL, so only a sink whose `missing` names tables of Spark may return names.
    */
  def giveBack(made: SinkClaim.MissingTargets): Unit =
    if (claim.giveBack(made.files)) made.tables.foreach(table => Try(Upsert.drop(session, table)))
}

private[spark] object SinkClaim {
  final case class MissingTargets(files: Seq[String], tables: Seq[String]) {
    def json: String =
      new ObjectMapper().writeValueAsString(Map("files" -> files.asJava, "tables" -> tables.asJava).asJava)
  }

  object MissingTargets {
    def read(json: String): MissingTargets = {
      val all               = new ObjectMapper().readTree(json)
      def names(of: String) = all.get(of).asScala.map(_.asText).toSeq
      MissingTargets(names("files"), names("tables"))
    }
  }
}
