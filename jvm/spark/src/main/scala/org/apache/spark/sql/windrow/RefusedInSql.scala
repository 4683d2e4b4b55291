package org.apache.spark.sql.windrow

import org.apache.spark.QueryContext
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.trees.Origin

/** What windrow refuses in SQL, as Spark's own mistakes of users are: `spark-sql` prints its message alone, clients over JDBC
  * and Connect get its code.
  *
  * @param code
  *   of the first problem
  */
final class RefusedInSql(code: String, message: String, cause: Option[Throwable]) extends AnalysisException(
      message,
      None,
      None,
      cause,
      Some(code),
      Map.empty[String, String],
      Array.empty[QueryContext]) {

  /** Syntax error or access rule violation: of all that the standard has, the class of mistakes in a query. */
  override def getSqlState: String = "42000"

  override def getDefaultMessageTemplate: String = message

  /** The message says where, as the call. */
  override def withPosition(origin: Origin): AnalysisException = this
}
