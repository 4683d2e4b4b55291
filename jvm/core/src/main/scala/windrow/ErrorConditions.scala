package windrow

import java.io.InputStream
import java.io.InputStreamReader
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Properties
import java.util.regex.Matcher
import scala.jdk.CollectionConverters._

/** The sentences of all errors, which stand once for Scala and Python, in `error-conditions.json`; the build makes
  * properties of it.
  *
  * A condition is a code, for example `ZONE_UNKNOWN`, or, where a code has several sentences, that and the name of one:
  * `NAME_TWICE.ROWS`.
  */
private[windrow] object ErrorConditions {
  private val Parameter = "<(\\w+)>".r

  private val Resource = "/windrow/error-conditions.properties"

  private lazy val sentences: Map[String, String] = read(getClass.getResourceAsStream(Resource))

  /** @param file
    *   null: it is not there
    */
  private[windrow] def read(file: InputStream): Map[String, String] = {
    if (file == null)
      throw new IllegalStateException(
        s"$Resource is not on the class path, so errors have no texts: the JAR or the classes of windrow are not whole. " +
          "Build them again (scripts/build jar).")
    val read = new Properties
    try read.load(new InputStreamReader(file, UTF_8))
    finally file.close()
    read.asScala.toMap
  }

  def codeOf(condition: String): String = condition.takeWhile(_ != '.')

  /** @param parameters
    *   a value for each that the sentence names
    */
  def text(condition: String, parameters: (String, Any)*): String = {
    val sentence = sentences.getOrElse(condition, throw new NoSuchElementException(s"no error condition $condition"))
    val values   = parameters.toMap
    val named    = Parameter.findAllMatchIn(sentence).map(_.group(1)).toSet
    require(values.keySet == named, s"$condition is given ${values.keys.mkString(", ")}, not ${named.mkString(", ")}")
    Parameter.replaceAllIn(sentence, found => Matcher.quoteReplacement(values(found.group(1)).toString))
  }

  /** The sentence behind its code: `[STORE_CLOSED] the store in …`. */
  def message(condition: String, parameters: (String, Any)*): String =
    s"[${codeOf(condition)}] ${text(condition, parameters: _*)}"
}
