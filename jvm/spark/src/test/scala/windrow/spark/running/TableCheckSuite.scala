package windrow.spark.running

import org.apache.spark.sql.SQLContext
import org.apache.spark.sql.sources.{BaseRelation, SchemaRelationProvider}
import org.apache.spark.sql.types.{CalendarIntervalType, IntegerType, StructField, StructType}
import windrow.spark.SparkSuite

/** A format that does not store files. */
final class Elsewhere extends SchemaRelationProvider {
  def createRelation(context: SQLContext, parameters: Map[String, String], columns: StructType): BaseRelation =
    new BaseRelation {
      def sqlContext: SQLContext = context
      def schema: StructType     = columns
    }
}

/** Tests that rows that do not fit a table are detected before the first micro-batch (SEMANTICS B9). */
final class TableCheckSuite extends SparkSuite {
  private def refused(table: String, columns: String*): Option[String] =
    TableCheck(spark, table, StructType(columns.map(StructField(_, IntegerType)))).map(_.code)

  private def having[T](format: String)(check: String => T): T = {
    spark.sql(s"CREATE TABLE checked (a INT, b INT) USING $format")
    try check("checked")
    finally spark.sql("DROP TABLE checked"): Unit
  }

  test("a table of files has the columns of the rows, neither fewer nor more, in any case of letters") {
    having("parquet") { table =>
      assert(refused(table, "a", "B").isEmpty)
      for (columns <- Seq(Seq("a"), Seq("a", "b", "c"), Seq("a", "c")))
        assert(refused(table, columns: _*) == Some("TABLE_COLUMNS_DIFFER"))
    }
  }

  test("a table is found by any part of its name") {
    having("parquet") { table =>
      for (whole <- Seq(table, s"default.$table", s"spark_catalog.default.$table"))
        assert(refused(whole, "a") == Some("TABLE_COLUMNS_DIFFER"))
    }
  }

  test("errors that Spark would raise in the first batch") {
    having(classOf[Elsewhere].getName)(table => assert(refused(table, "a", "b") == Some("TABLE_NOT_USABLE")))
    val interval = new StructType().add("a", CalendarIntervalType)
    assert(TableCheck(spark, "not_there", interval).map(_.code) == Some("TABLE_NOT_USABLE"))
    assert(refused("not_there", "a", "A") == Some("TABLE_NOT_USABLE"))
  }

  test("rows are appended in the format of the table, whatever that of the session is") {
    having("json")(table => assert(refused(table, "a", "b").isEmpty))
  }

  test("one that is not there is made") {
    assert(refused("not_there", "a").isEmpty)
    assert(refused("nobody.knows.it", "a") == Some("TABLE_NOT_USABLE"))
  }

  test("a path is not the name of a table, unless it is quoted") {
    assert(refused("/data/panes", "a") == Some("SINK_IS_PATH"))
    assert(refused("s3a://bucket/panes", "a") == Some("SINK_IS_PATH"))
    assert(refused("odd.`a/b`", "a") != Some("SINK_IS_PATH"))
  }
}
