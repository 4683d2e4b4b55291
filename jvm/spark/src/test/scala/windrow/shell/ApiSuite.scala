package windrow.shell

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.functions._
import windrow.spark.SparkSuite

/** Tests the names in a shell or a notebook, which has a value `spark` and one import. */
final class ApiSuite extends SparkSuite {

  private object Shell {
    val spark: SparkSession = SparkSession.active
    import windrow.api._

    def minutes: Output = {
      val times = spark.range(3).select((col("id") * 40).cast("timestamp").as("time"), col("id"))
      Windrow.stream(times, time = "time").lateness("1 minute").window(Tumbling("1 minute"))
        .trigger(
          early = "5 seconds",
          late = "each_message").accumulationMode("accumulating").aggregate(count("*").as("n"))
    }

    def how(text: String): JoinKind          = text
    def trigger(text: String): PaneTrigger   = text
    def mode(text: String): AccumulationMode = text
    def kinds: Seq[JoinKind]                 = Seq(JoinKind.Full, JoinKind.Left, JoinKind.Semi)
    def every: Seq[PaneTrigger]              = Seq(Never, EachMessage, Every(messages = 20), Every("5 seconds"))
    def accumulating: AccumulationMode       = Accumulating
    def refused(make: => Any): Seq[String]   = intercept[SpecError](make).problems.map(_.code)
  }

  test("one import leaves the session its name") {
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    assert(Shell.minutes.panes.select("n").collect().map(_.getLong(0)).sorted.toSeq == Seq(1, 2))
  }

  test("texts stand for constants, as in SQL and with Spark's names of joins") {
    assert(Seq("OUTER", "left_outer", "leftsemi").map(Shell.how) == Shell.kinds)
    assert(Seq("never", "1 message", "20 messages", "5 seconds").map(Shell.trigger) == Shell.every)
    assert(Shell.mode("ACCUMULATING") == Shell.accumulating)
    assert(Shell.refused(Shell.how("cross")) == Seq("VALUE_UNKNOWN"))
    assert(Shell.refused(Shell.trigger("often")) == Seq("TRIGGER_UNKNOWN"))
    assert(Shell.refused(Shell.mode("all")) == Seq("VALUE_UNKNOWN"))
  }

  test("a session is configured and looked at") {
    import windrow.api._
    val builder = SparkSession.builder().config("spark.sql.streaming.stateStore.rocksdb.blockCacheSizeMB", "7")
    val options = org.apache.spark.sql.windrow.SparkInside.options(Windrow.configure(builder))
    assert(options("spark.sql.streaming.stateStore.rocksdb.blockCacheSizeMB") == "7")
    assert(options("spark.sql.streaming.stateStore.providerClass").endsWith("RocksDBStateStoreProvider"))
    val report = Windrow.doctor(spark)
    assert(report.isOk, report)
    assert(report.toString.contains("ok    state store: RocksDBStateStoreProvider"))
    val before = spark.conf.get("spark.sql.shuffle.partitions")
    spark.conf.set("spark.sql.shuffle.partitions", "999")
    val hint =
      try Windrow.doctor(spark)
      finally spark.conf.set("spark.sql.shuffle.partitions", before)
    assert(hint.toString.contains("hint  shuffle partitions: 999 on ") && hint.isOk)
  }
}
