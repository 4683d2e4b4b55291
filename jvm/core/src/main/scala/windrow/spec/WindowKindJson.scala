package windrow

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode

/** Reads and writes windows as JSON: `{"kind": "tumbling", "size": 60000000, "start_time": 0}`. */
private[windrow] object WindowKindJson {

  def read(node: JsonNode, reader: JsonReader): Option[WindowKind] =
    if (node == null || !node.isObject)
      reader.refuse("WINDOW_NOT_STATED")
    else {
      val kind = node.path("kind").asText
      WindowKinds.Forms.find(_.name == kind) match {
        case Some(form) =>
          reader.known(node, s"a window of kind $kind", form.fields.toSet + "kind")
          form.read(new Fields(node, reader))
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
    def namesIfSet(name: String): Option[Seq[String]]                         = reader.names(node, name)
    def wordIfSet[T](name: String, condition: String, all: Seq[T]): Option[T] = reader.word(node, name, condition, all)
    def refuse[T](problem: SpecProblem): Option[T]                            = reader.refuse(problem)
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
          several.foreach(one => all.add(one.toString))
        case text => node.put(name, text.toString)
      }
      ()
    }
    node.put("kind", window.form.name)
    window.fields.foreach { case (name, value) => put(name, value) }
  }
}
