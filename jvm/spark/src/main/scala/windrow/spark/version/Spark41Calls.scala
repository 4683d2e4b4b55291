package windrow.spark.version

import java.sql.SQLException
import org.apache.spark.sql.jdbc.JdbcDialect

/** Calls methods that Spark 4.0 lacks. This is the only class that may call them (`LinkageSuite`). */
private[spark] object Spark41Calls {

  /** Whether an error of a database means that a table is missing. Spark 4.0 takes every error for that. */
  def isMissing(dialect: JdbcDialect, failed: SQLException): Boolean =
    SparkVersion.is40 || dialect.isObjectNotFoundException(failed)
}
