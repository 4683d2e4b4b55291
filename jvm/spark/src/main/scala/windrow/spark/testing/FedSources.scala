package windrow.spark.testing

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.DataSource
import windrow.spark.version.SparkVersion

/** Finds the sources of a stream. */
private[testing] trait FedSources {

  /** Returns the source that a node of the plan reads. */
  def of(node: LogicalPlan): Option[DataSource]
}

private[testing] object FedSources {
  private val found = SparkVersion.variant[FedSources]("windrow.spark.testing.StreamedSources")

  /** Returns the folder of a source of files. */
  def unapply(node: LogicalPlan): Option[String] =
    found.of(node).map(source => folder(source.options("path")))

  /** Normalizes the path of a folder. */
  def folder(path: String): String = path.stripPrefix("file:").replaceAll("/+", "/").stripSuffix("/")
}
