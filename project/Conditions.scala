import java.io.StringWriter
import java.util.Properties
import sbt._
import sjsonnew.shaded.scalajson.ast.unsafe._
import sjsonnew.support.scalajson.unsafe.Parser

/** Converts the catalog of errors to properties, one line for each condition, because the core lacks a JSON parser. */
object Conditions {

  def properties(catalogue: File): String = {
    val read = new Properties
    fields(Parser.parseFromString(IO.read(catalogue, IO.utf8)).get).foreach { case (code, entry) =>
      val of    = fields(entry).toMap
      val parts = of.get("subClass").map(fields).getOrElse(Nil)
      if (parts.isEmpty) read.setProperty(code, sentence(of, of))
      parts.foreach { case (part, one) => read.setProperty(s"$code.$part", sentence(fields(one).toMap, of)) }
    }
    val out = new StringWriter
    read.store(out, null)
    out.toString.linesIterator.filterNot(_.startsWith("#")).toSeq.sorted.mkString("", "\n", "\n") // without the date
  }

  private def fields(value: JValue): Seq[(String, JValue)] = value match {
    case JObject(all) => all.toSeq.map(field => field.field -> field.value)
    case _            => Nil
  }

  /** The message, and the remedy of the condition or of its code if there is one. */
  private def sentence(condition: Map[String, JValue], code: Map[String, JValue]): String = {
    val message = text(condition, "message").getOrElse(sys.error(s"A condition has no message: $condition"))
    (Seq(message) ++ text(condition, "remedy").orElse(text(code, "remedy"))).mkString(" ")
  }

  private def text(of: Map[String, JValue], name: String): Option[String] =
    of.get(name).collect { case JString(text) => text }
}
