package windrow.spark.sinks

import org.apache.spark.sql.{DataFrame, Encoder, Encoders, SparkSession}
import windrow.SpecError
import windrow.spark.{MemoryStream, SparkSuite}

/** Tests writes to a database in a function of the user (SEMANTICS B10). */
final class JdbcSuite extends SparkSuite {
  private implicit lazy val session: SparkSession = spark
  private implicit val numbers: Encoder[Long]     = Encoders.scalaLong

  private val url = "jdbc:derby:memory:functions;create=true"

  private def read(table: String): DataFrame = session.read.format("jdbc").option("url", url).option(
    "dbtable",
    table).load()

  test("several tables, and several queries with one table, each receive all rows") {
    val sinks = Seq("eu", "us").map(Jdbc(url, _))
    for (query <- 0L to 1L) {
      val source = MemoryStream[Long]
      val running = source.toDF().writeStream.option("checkpointLocation", SparkSuite.folder())
        .foreachBatch { (rows: DataFrame, batch: Long) =>
          sinks.foreach(_.make(session, rows.schema))
          for (_ <- 0 to 1; sink <- sinks) sink.write(rows, batch) // the second time as if it were repeated
        }.start()
      try for (batch <- 0L to 1L) {
          source.addData(query * 10 + batch)
          running.processAllAvailable()
        }
      finally running.stop()
    }
    for (table <- Seq("eu", "us"))
      assert(read(table).collect().map(_.getLong(0)).toSeq.sorted == Seq(0L, 1L, 10L, 11L))
    assert(read("windrow_batches").count() == 4)
  }

  test("outside of a query, a repeated micro-batch cannot be recognized") {
    val wrong = intercept[SpecError](Jdbc(url, "none").write(session.range(1).toDF(), 0))
    assert(wrong.problems.map(_.code) == Seq("JDBC_OUTSIDE_QUERY"))
  }
}
