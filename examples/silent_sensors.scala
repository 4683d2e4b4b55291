// Temperatures of each minute, also of the minutes in which a sensor was silent.
//
// Run it with:
//   spark-shell --jars python/windrow/jars/windrow-0.1.0.jar -I examples/silent_sensors.scala \
//     --conf spark.sql.streaming.stateStore.providerClass=org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider
// Sensor b sends nothing from 09:01 to 09:03. fillGaps emits its empty minutes with a count of 0. It prints:
//
// +------+-------------------+---+-------+
// |sensor|              start|  n|celsius|
// +------+-------------------+---+-------+
// |     a|2025-01-01 09:00:00|  1|   20.5|
// |     a|2025-01-01 09:01:00|  1|   20.5|
// |     a|2025-01-01 09:02:00|  1|   20.5|
// |     b|2025-01-01 09:00:00|  1|   20.5|
// |     b|2025-01-01 09:01:00|  0|   NULL|
// |     b|2025-01-01 09:02:00|  0|   NULL|
// +------+-------------------+---+-------+

import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.Trigger
import windrow.api._

import java.nio.file.{Files => Local}

val folder = Local.createTempDirectory("sensors")
Local.createDirectory(folder.resolve("readings"))
val rows = Seq("a" -> "09:00:10", "a" -> "09:01:20", "a" -> "09:02:30", "b" -> "09:00:40", "b" -> "09:03:05")
  .map { case (sensor, time) => s"""{"sensor": "$sensor", "time": "2025-01-01 $time", "celsius": 20.5}""" }
Local.writeString(folder.resolve("readings/0.json"), rows.mkString("\n"))

val readings = spark.readStream.schema("time timestamp, sensor string, celsius double").json(s"$folder/readings")
val minutes = Windrow.stream(readings, time = "time", key = Seq("sensor"), watermark = Some("0 seconds"))
  .lateness("0 seconds")
  .window(Tumbling("1 minute"), fillGaps = TimeSpan.Endless)
  .aggregate(count("*").as("n"), avg("celsius").as("celsius"))
val query = minutes.start(
  checkpoint = s"$folder/checkpoint",
  panes = Some(Files(s"$folder/minutes")),
  rejected = Some(Files(s"$folder/rejected")),
  queryTrigger = Some(Trigger.AvailableNow()))
query.awaitTermination()

spark.read.parquet(s"$folder/minutes").select("sensor", "window.start", "n", "celsius").orderBy("sensor", "start").show()
