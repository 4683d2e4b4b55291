package windrow

import java.io.{InputStream, InputStreamReader}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.regex.Matcher
import java.util.{Locale, Properties}
import scala.jdk.CollectionConverters._

/** The texts of all errors, shared by Scala and Python. They are in `error-conditions.json`, which the build converts
  * to properties.
  *
  * A condition is a code, for example `ZONE_UNKNOWN`. If a code has several texts, the condition is the code and the
  * name of the text: `NAME_TWICE.ROWS`.
  */
private[windrow] object ErrorConditions {
  private val Parameter = "<(\\w+)>(\\.?)".r

  private val Resource = "/windrow/error-conditions.properties"

  /** Message and remedy of each condition. */
  private lazy val sentences: Map[String, String] = read(getClass.getResourceAsStream(Resource))

  /** @param file
    *   null if the resource is missing
    */
  private[windrow] def read(file: InputStream): Map[String, String] = {
    if (file == null)
      throw new IllegalStateException(
        s"$Resource is not on the class path, so errors have no messages: the JAR or the classes of Windrow are " +
          "incomplete. Build them again with scripts/build jar.")
    val read = new Properties
    try read.load(new InputStreamReader(file, UTF_8))
    finally file.close()
    read.asScala.toMap
  }

  def codeOf(condition: String): String = condition.takeWhile(_ != '.')

  /** The codes of all errors. */
  lazy val codes: Set[String] = sentences.keySet.map(codeOf)

  /** The message, the remedy, and a pointer to the page of errors.
    *
    * @param parameters
    *   exactly those that the message names
    */
  def text(condition: String, parameters: (String, Any)*): String = {
    val sentence = sentences.getOrElse(condition, throw new NoSuchElementException(s"no error condition $condition"))
    val values   = parameters.toMap
    val named    = Parameter.findAllMatchIn(sentence).map(_.group(1)).toSet
    require(
      values.keySet == named,
      s"$condition has the parameters ${named.mkString(", ")}, but was given ${values.keys.mkString(", ")}")
    val filled = Parameter.replaceAllIn(
      sentence,
      found => Matcher.quoteReplacement(withStop(values(found.group(1)).toString, found.group(2))))
    s"$filled See docs/errors.md#${codeOf(condition).toLowerCase(Locale.ROOT)}."
  }

  private def withStop(value: String, stop: String): String =
    if (Seq(".", "?", "!").exists(value.endsWith(_))) value else value + stop

  /** The text after its code: `[STORE_CLOSED] The store in …`. */
  def message(condition: String, parameters: (String, Any)*): String =
    s"[${codeOf(condition)}] ${text(condition, parameters: _*)}"
}
