package windrow.spark.pack

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.types.{DataType, LongType, StringType}
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

final class ShardHashSpec extends AnyFunSuite {

  test("SEMANTICS R75: a key stays in its shard, whatever version of windrow reads it") {
    def shard(of: DataType, key: Any) = ShardHash(UnsafeProjection.create(Array(of))(InternalRow(key)), 128)
    assert(Seq("", "a", "Zürich").map(text => shard(StringType, UTF8String.fromString(text))) == Seq(7, 60, 43))
    assert(Seq(0L, -7L).map(shard(LongType, _)) == Seq(37, 55))
  }
}
