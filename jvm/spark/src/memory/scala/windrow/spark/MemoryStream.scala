package windrow.spark

import org.apache.spark.sql.{DataFrame, Encoder, SQLContext, SparkSession, classic}
import windrow.spark.version.SparkVersion

/** Spark's stream of rows in memory, for tests. In Spark 4.0 its class is in another package. */
final class MemoryStream[A] private (stream: AnyRef) {
  def toDF(): DataFrame = call("toDF").asInstanceOf[DataFrame]

  def addData(row: A, more: A*): Unit = addData(row +: more)

  def addData(rows: Seq[A]): Unit =
    stream.getClass.getMethod("addData", classOf[Seq[_]]).invoke(stream, rows): Unit

  def id: Int = call("id").asInstanceOf[Int]

  private def call(method: String): AnyRef = stream.getClass.getMethod(method).invoke(stream)
}

object MemoryStream {
  private val Name =
    s"org.apache.spark.sql.execution.streaming.${if (SparkVersion.is40) "" else "runtime."}MemoryStream$$"

  def apply[A](implicit encoder: Encoder[A], session: SparkSession): MemoryStream[A] = {
    val sparks  = Class.forName(Name)
    val method  = sparks.getMethod("apply", classOf[Encoder[_]], classOf[SQLContext])
    val context = session.asInstanceOf[classic.SparkSession].sqlContext
    new MemoryStream[A](method.invoke(sparks.getField("MODULE$").get(null), encoder, context))
  }
}
