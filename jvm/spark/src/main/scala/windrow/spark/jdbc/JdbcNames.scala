package windrow.spark.jdbc

import org.apache.spark.sql.jdbc.JdbcDialect

/** The names of a table's columns in SQL.
  *
  * @param held
  *   the columns that the table has. A user's own table may have them in another letter case.
  */
private[jdbc] final class JdbcNames(dialect: JdbcDialect, held: Seq[String]) {
  def apply(name: String): String =
    JdbcNames.quoted(dialect, held.find(_ == name).orElse(held.find(_.equalsIgnoreCase(name))).getOrElse(name))
}

private[jdbc] object JdbcNames {

  /** Quotes a name. Not every dialect doubles a quote inside of it. */
  def quoted(dialect: JdbcDialect, name: String): String = {
    val sample = dialect.quoteIdentifier("x")
    val close  = sample.last.toString
    if (sample.length < 3) dialect.quoteIdentifier(name) else s"${sample.head}${name.replace(close, close * 2)}$close"
  }
}
