package org.apache.spark.sql.windrow

import org.apache.spark.QueryContext
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.trees.Origin

/** An error of a Windrow function in SQL, as an analysis error of Spark: `spark-sql` prints only its message, and
  * clients of JDBC and Connect receive its code.
  *
  * @param code
  *   the code of the first problem
  */
final class SqlCallError(code: String, message: String, cause: Option[Throwable]) extends AnalysisException(
      message,
      None,
      None,
      cause,
      Some(code),
      Map.empty[String, String],
      Array.empty[QueryContext]) {

  /** "Syntax error or access rule violation", the class of the SQL standard for errors in a query. */
  override def getSqlState: String = "42000"

  override def getDefaultMessageTemplate: String = message

  /** Returns this error unchanged, because its message already names the call. */
  override def withPosition(origin: Origin): AnalysisException = this
}
