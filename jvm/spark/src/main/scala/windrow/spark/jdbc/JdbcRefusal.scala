package windrow.spark.jdbc

import org.apache.spark.sql.windrow.SqlCallError
import windrow.ErrorConditions

/** Creates errors that Python converts to errors of Windrow. */
private[spark] object JdbcRefusal {
  def apply(condition: String, cause: Option[Throwable], parameters: (String, Any)*): SqlCallError =
    new SqlCallError(ErrorConditions.codeOf(condition), ErrorConditions.message(condition, parameters: _*), cause)
}
