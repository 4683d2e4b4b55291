package windrow.spark.jdbc

import org.apache.spark.sql.windrow.RefusedInSql
import windrow.ErrorConditions

/** Creates errors that Python converts to errors of Windrow. */
private[spark] object JdbcRefusal {
  def apply(condition: String, cause: Option[Throwable], parameters: (String, Any)*): RefusedInSql =
    new RefusedInSql(ErrorConditions.codeOf(condition), ErrorConditions.message(condition, parameters: _*), cause)
}
