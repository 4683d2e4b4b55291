package windrow.spark.jdbc

import java.sql.{Connection, SQLException}
import java.util.Locale.ROOT
import org.apache.spark.sql.jdbc.JdbcDialect
import scala.util.Using
import windrow.spark.version.Spark41Calls

/** The location of a table. It is the same whether or not the user's name of the table includes the schema.
  *
  * @param beside
  *   the SQL prefix of the names of other tables in the same schema
  * @param name
  *   the name of the table in the database
  * @param schema
  *   the name of its schema in the database, if the database provides it
  */
private[jdbc] final case class TablePlace(beside: String, name: String, schema: Option[String]) {
  def sibling(table: String): String = s"$beside$table"
}

private[jdbc] object TablePlace {

  /** A part of a name, quoted or not. */
  private val Part = """"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|[^.]+""".r

  /** Finds the location of a table.
    *
    * @param table
    *   the user's name of an existing table
    * @param database
    *   the database's name in the URL, `postgresql`
    */
  def of(connection: Connection, dialect: JdbcDialect, database: String, table: String): TablePlace = {
    val parts  = Part.findAllIn(table.trim).toSeq
    val stated = (parts.dropRight(1).map(_ + ".").mkString, folded(connection, parts.lastOption.getOrElse(table)))
    val (schema, name) = database match {
      case "postgresql" => postgresql(connection, table)
      case "sqlite"     => (Nil, Some(bare(stated._2).toLowerCase(ROOT)))
      case _            => described(connection, database, dialect.getSchemaQuery(table))
    }
    TablePlace(
      if (schema.isEmpty) stated._1 else schema.map(one => s"${JdbcNames.quoted(dialect, one)}.").mkString,
      name.getOrElse(stated._2),
      schema.headOption)
  }

  /** Returns the columns of a table, or None if it does not exist. Errors of SQLite and DuckDB lack an SQLSTATE. */
  def columns(connection: Connection, dialect: JdbcDialect, table: String): Option[Seq[String]] =
    try
      Using.resource(connection.createStatement()) { statement =>
        val found = statement.executeQuery(dialect.getSchemaQuery(table)).getMetaData
        Some((1 to found.getColumnCount).map(found.getColumnLabel))
      }
    catch {
      case missing: SQLException if missing.getSQLState == null || Spark41Calls.isMissing(dialect, missing) => None
    }

  private def postgresql(connection: Connection, table: String): (Seq[String], Option[String]) =
    Using.resource(connection.prepareStatement(
      "SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = to_regclass(?)")) {
      statement =>
        statement.setString(1, table)
        val found = statement.executeQuery()
        if (found.next()) (Seq(found.getString(1)), Some(found.getString(2))) else (Nil, None)
    }

  /** Returns schema and name from the driver's description of the table's columns. If the driver does not provide them,
    * the schema of the connection applies.
    */
  private def described(connection: Connection, database: String, query: String): (Seq[String], Option[String]) =
    try
      Using.resource(connection.createStatement()) { statement =>
        val columns = statement.executeQuery(query).getMetaData
        val schema  = if (JdbcSession.isOfMySql(database)) columns.getCatalogName(1) else columns.getSchemaName(1)
        (Seq(schema).filter(isGiven), Some(columns.getTableName(1)).filter(isGiven))
      }
    catch { case _: SQLException => (Nil, None) }

  private def isGiven(name: String): Boolean = name != null && name.nonEmpty

  /** Returns an unquoted name in the case in which the database stores it. */
  private def folded(connection: Connection, name: String): String =
    if (bare(name) != name) bare(name)
    else if (connection.getMetaData.storesUpperCaseIdentifiers) name.toUpperCase(ROOT)
    else if (connection.getMetaData.storesLowerCaseIdentifiers) name.toLowerCase(ROOT)
    else name

  private def bare(name: String): String =
    if (name.length > 1 && "\"`[".contains(name.head)) name.drop(1).dropRight(1) else name
}
