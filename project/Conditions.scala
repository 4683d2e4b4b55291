import java.io.StringWriter
import java.util.Properties
import sbt._
import sjsonnew.shaded.scalajson.ast.unsafe._
import sjsonnew.support.scalajson.unsafe.Parser

/** The catalogue of errors as properties, a line for each condition: the core has no reader of JSON at hand. */
object Conditions {

  def properties(catalogue: File): String = {
    val read = new Properties
    fields(Parser.parseFromString(IO.read(catalogue, IO.utf8)).get).foreach { case (code, entry) =>
      val of    = fields(entry).toMap
      val parts = of.get("subClass").map(fields).getOrElse(Nil)
      if (parts.isEmpty) read.setProperty(code, message(of))
      parts.foreach { case (part, one) => read.setProperty(s"$code.$part", message(fields(one).toMap)) }
    }
    val out = new StringWriter
    read.store(out, null)
    out.toString.linesIterator.filterNot(_.startsWith("#")).toSeq.sorted.mkString("", "\n", "\n") // without the time
  }

  private def fields(value: JValue): Seq[(String, JValue)] = value match {
    case JObject(all) => all.toSeq.map(field => field.field -> field.value)
    case _            => Nil
  }

  private def message(of: Map[String, JValue]): String = of.get("message") match {
    case Some(JString(text)) => text
    case _                   => sys.error(s"a condition has no message: $of")
  }
}
