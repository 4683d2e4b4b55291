package windrow.spark.shards

import org.apache.spark.sql.streaming.{MapState, StatefulProcessorHandle, TTLConfig, ValueState}
import org.apache.spark.sql.windrow.StateColumn
import windrow.core.state.{ShardStore, Space}

/** Stores a shard in Spark's state: a value for its header, and a map for each space. The grouping key is the number of
  * the shard.
  */
final class SparkShardStore(handle: StatefulProcessorHandle, spaces: Seq[String]) extends ShardStore {

  private val head: ValueState[Array[Byte]] = handle.getValueState("header", StateColumn.bytes, TTLConfig.NONE)

  private val maps: Map[String, MapState[Long, Array[Byte]]] =
    spaces.map(name =>
      name -> handle.getMapState(name, StateColumn.long, StateColumn.bytes, TTLConfig.NONE)).toMap

  def header: Array[Byte]                 = head.get()
  def putHeader(bytes: Array[Byte]): Unit = head.update(bytes)

  def space(name: String): Space = {
    lazy val map = maps(name)
    new Space {
      def get(id: Long): Array[Byte]              = map.getValue(id)
      def put(id: Long, bytes: Array[Byte]): Unit = map.updateValue(id, bytes)
      def remove(id: Long): Unit                  = map.removeKey(id)
    }
  }
}
