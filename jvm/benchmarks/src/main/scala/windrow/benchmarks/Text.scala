package windrow.benchmarks

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.json.JsonMapper
import com.fasterxml.jackson.module.scala.DefaultScalaModule
import scala.reflect.ClassTag

/** Jobs, replies and results as JSON. */
object Text {
  private val mapper: ObjectMapper = JsonMapper.builder().addModule(DefaultScalaModule).build()

  def line(value: Any): String   = mapper.writeValueAsString(value)
  def pretty(value: Any): String = mapper.writerWithDefaultPrettyPrinter().writeValueAsString(value)

  def read[A](text: String)(implicit tag: ClassTag[A]): A =
    mapper.readValue(text, tag.runtimeClass.asInstanceOf[Class[A]])
}
