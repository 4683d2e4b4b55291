package windrow

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode
import scala.jdk.CollectionConverters._

/** Reads and writes windows as JSON: `{"kind": "tumbling", "size": 60000000, "start_time": 0}`. */
private[windrow] object WindowKindJson {

  def read(node: JsonNode, reader: JsonReader): Option[WindowKind] =
    if (node == null || !node.isObject)
      reader.refuse("WINDOW_NOT_STATED")
    else {
      val kind = node.path("kind").asText
      WindowKinds.Forms.find(_.name == kind) match {
        case Some(form) =>
          val fields = new Fields(node, reader)
          fields.onlyOf(kind, form.fields, Nil)
          form.read(fields)
        case None =>
          val allowed = WindowKinds.Forms.map(_.name).mkString(", ")
          reader.refuse("WINDOW_UNKNOWN.KIND", "kind" -> kind, "allowed" -> allowed)
      }
    }

  private final class Fields(node: JsonNode, reader: JsonReader) extends WindowFields {
    def isSet(name: String): Boolean                                          = reader.child(node, name).isDefined
    def spanIfSet(name: String): Option[TimeSpan]                             = reader.span(node, name)
    def countIfSet(name: String): Option[Long]                                = reader.count(node, name)
    def nameIfSet(name: String): Option[String]                               = reader.name(node, name)
    def windowsIfSet(name: String): Option[Seq[(String, WindowFields)]]       = Some(named(name))
    def namesIfSet(name: String): Option[Seq[String]]                         = reader.names(node, name)
    def wordIfSet[T](name: String, all: Seq[T], condition: String): Option[T] = reader.word(node, name, all, condition)
    def refuse[T](problem: SpecProblem): Option[T]                            = reader.refuse(problem)

    def onlyOf(kind: String, inJson: Seq[String], inSql: Seq[String]): Unit =
      reader.known(node, s"a window of kind $kind", inJson.toSet + "kind")

    private def named(field: String): Seq[(String, WindowFields)] =
      node.path(field).elements.asScala.toSeq.map(one =>
        one.path("name").asText -> new Fields(one.path("window"), reader))
  }

  def write(window: WindowKind, node: ObjectNode): Unit = {
    def put(name: String, value: Any): Unit = {
      value match {
        case span: TimeSpan => node.put(name, span.micros)
        case number: Long   => node.put(name, number)
        case Some(one)      => put(name, one)
        case None           => node.putNull(name)
        case several: Seq[_] =>
          val all = node.putArray(name)
          several.foreach {
            case (name: String, kind: WindowKind) =>
              val one = all.addObject().put("name", name)
              write(kind, one.putObject("window"))
            case one => all.add(one.toString)
          }
        case text => node.put(name, text.toString)
      }
      ()
    }
    node.put("kind", window.form.name)
    window.fields.foreach { case (name, value) => put(name, value) }
  }
}
