package windrow.spark.jdbc

import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

final class JdbcColumnsSpec extends AnyFunSuite {

  test("SEMANTICS B10: `window` and `pane` are a column for each of their fields, other structs are one") {
    val schema = StructType.fromDDL(
      "k string, window struct<start: bigint, `end`: bigint>, pane struct<index: bigint>, other struct<a: int>")
    assert(
      JdbcColumns.of(schema, schema.fieldNames.toSeq) ==
        Seq("k", "window_start", "window_end", "pane_index", "other"))
  }
}
