package windrow.spark.jdbc

import java.net.URLDecoder
import java.nio.charset.StandardCharsets.UTF_8
import java.sql.SQLException
import scala.util.Try

/** The URL of a database and its options. Shows only parts that are known to be harmless: the kind of database, the
  * host and the name of the database (SEMANTICS B7).
  */
private[spark] final class JdbcAddress(url: String, options: Map[String, String]) {
  import JdbcAddress._

  val shown: String = show(url)

  /** Removes the URL, the values of options, and every part of the URL that is not shown from a text of the driver. */
  def redacted(text: String): String =
    if (text == null) null
    else secrets.foldLeft(text.replace(url, shown))((said, secret) =>
      if (secret.length > 2) said.replace(secret, Hidden)
      else said.replaceAll(s"(?<![\\w])${java.util.regex.Pattern.quote(secret)}(?![\\w])", Hidden))

  /** Returns the same error with redacted texts. Redacts its causes as well, because logs and stack traces contain
    * them.
    */
  def redacted(error: Throwable): SQLException = {
    val (state, code) = error match {
      case known: SQLException => (known.getSQLState, known.getErrorCode)
      case _                   => (null, 0)
    }
    val said = Option(error.getMessage).fold(error.getClass.getName)(redacted(_))
    val made = new SQLException(said, state, code)
    made.setStackTrace(error.getStackTrace)
    Option(error.getCause).filter(_ ne error).foreach(cause => made.initCause(redacted(cause)))
    made
  }

  private val secrets: Seq[String] = {
    val ofOptions = options.collect { case (name, value) if !Harmless(name.toLowerCase) => value }
    val hidden    = url.drop(prefix(url).length)
    val ofUrl = hidden.split("[?;&,()]").toSeq.flatMap { part =>
      val (name, value) = part.span(_ != '=')
      if (value.isEmpty) part +: part.split("[:/@]").toSeq.filterNot(shown.contains(_))
      else if (Harmless(name.toLowerCase.trim)) Nil
      else Seq(value.drop(1))
    }
    (ofOptions ++ ofUrl).flatMap(one => Seq(one, Try(URLDecoder.decode(one, UTF_8)).getOrElse(one)))
      .filterNot(one => one.isEmpty || Plain(one.toLowerCase)).toSeq.distinct.sortBy(-_.length)
  }
}

private[spark] object JdbcAddress {
  private val Hidden = "…"

  /** Options whose values are not secret. */
  private val Harmless = Set("user", "username", "url", "dbtable", "driver", "batchsize", "isolationlevel", "create")
  private val Plain    = Set("true", "false")

  private val Host     = """[A-Za-z0-9_.-]+(?:\\[A-Za-z0-9_.-]+)?(?::\d{1,5})?"""
  private val Place    = s"""$Host(?:,$Host)*(?:/[A-Za-z0-9_.$$-]*)?"""
  private val OnServer = s"""jdbc(:[A-Za-z0-9+]{1,20}){1,3}://$Place(?=[?;&:]|$$)""".r
  private val OfOracle = s"""jdbc:oracle:thin:@(//)?$Host([:/][A-Za-z0-9_.$$-]+)?(?=[?;&]|$$)""".r
  private val OfFile   = """jdbc:(derby|sqlite|h2|hsqldb|duckdb)(:[A-Za-z]{1,20})?:[A-Za-z0-9_./\\ ~-]*(?=[?;&:]|$)""".r
  private val Word     = """[A-Za-z0-9_.~%+!$-]*"""
  private val WithUser = s"""(jdbc(?::[A-Za-z0-9+]{1,20}){1,3}://)$Word(?::$Word)?@($Place)(?:[?;&].*)?""".r
  private val Scheme   = """jdbc:[A-Za-z0-9+]{1,20}:""".r

  /** Shows a URL without every part that is not surely harmless. */
  def show(url: String): String = url match {
    case WithUser(scheme, place) if url.count(_ == '@') == 1 => s"$scheme$Hidden@$place"
    case _ =>
      val known = prefix(url)
      if (known.length == url.length) url else s"$known$Hidden"
  }

  private def prefix(url: String): String = {
    val known = if (!url.contains('@')) Seq(OnServer, OfFile) else if (url.count(_ == '@') == 1) Seq(OfOracle) else Nil
    known.flatMap(_.findPrefixOf(url)).headOption.orElse(Scheme.findPrefixOf(url)).getOrElse("")
  }
}
