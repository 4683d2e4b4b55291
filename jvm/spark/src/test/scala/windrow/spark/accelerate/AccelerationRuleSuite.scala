package windrow.spark.accelerate

import java.nio.file.{Files, Paths}
import org.apache.logging.log4j.core.appender.AbstractAppender
import org.apache.logging.log4j.core.config.Property
import org.apache.logging.log4j.core.{LogEvent, Logger}
import org.apache.logging.log4j.{Level, LogManager}
import org.apache.spark.sql.catalyst.expressions.{SessionWindow, TimeWindow}
import org.apache.spark.sql.catalyst.plans.logical.Aggregate
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.windrow.{RunningQuery, SparkInside}
import org.apache.spark.sql.{DataFrame, Encoder, Encoders, SparkSession}
import windrow.CheckpointError
import windrow.spark.{MemoryStream, SparkSuite, Windrow}

/** Tests which operators are replaced, and who continues a checkpoint (SEMANTICS R97, R98). */
final class AccelerationRuleSuite extends SparkSuite {
  private implicit lazy val session: SparkSession = spark
  private implicit val events: Encoder[Event]     = Encoders.product[Event]

  private val input = Seq(Compared.events(7, 3))

  private def compared(sql: String, mode: String = "append", inputs: Seq[Seq[Seq[Event]]] = input, delay: Int = 5) =
    new Compared(spark, mode, s"$delay seconds", inputs, _.sql(sql))

  private def table: DataFrame = MemoryStream[Event].toDF().withWatermark("time", "5 seconds")

  private def sql(text: String): DataFrame = {
    table.createOrReplaceTempView("t")
    session.sql(text)
  }

  private def codes(df: DataFrame, mode: OutputMode = OutputMode.Append()): Seq[String] =
    Windrow.explainAcceleration(df, mode).operators.map(_.reason.fold("accelerated")(_.code))

  private val minute = window(col("time"), "1 minute")

  test("the checkpoint decides who runs the query, whatever the setting is later") {
    val plain = compared("SELECT session_window, k, count(*) AS n, sum(v) FROM t0 " +
      "GROUP BY session_window(time, if(b, '5 seconds', '20 seconds')), k " +
      "HAVING session_window.end > TIMESTAMP'2020-09-13 12:27:10'")
    val spark = plain.off
    Seq(false, true).foreach { first =>
      val changed = plain.run(Seq(0 -> first, 1 -> !first, 2 -> first))
      assert(changed.differsFrom(spark).isEmpty)
      assert(changed.operators == Seq(if (first) "transformWithStateExec" else "sessionWindowStateStoreSaveExec"))
      val codes =
        if (first) Seq.fill(3)("accelerated") else Seq("ACCELERATION_OFF", "CHECKPOINT_OF_SPARK", "ACCELERATION_OFF")
      assert(changed.starts.flatMap(_.operators).map(_.reason.fold("accelerated")(_.code)) == codes)
    }
  }

  test("SEMANTICS S17: a query starts again after its driver ended while it wrote the first plan") {
    val checkpoint = SparkSuite.folder()
    val plans      = Paths.get(checkpoint, "offsets")
    Files.createDirectories(plans)
    for (name <- Seq(".0.b7092030-741d-43d0-8346-897b29b06fb3.tmp", "..0.b7092030-741d-43d0-8346-897b29b06fb3.tmp.crc"))
      Files.writeString(plans.resolve(name), "v1")
    session.conf.set(AccelerationRule.Setting, "true")
    try {
      val counted = table.groupBy(minute).count().writeStream.option("checkpointLocation", checkpoint)
      val query   = counted.outputMode("append").format("noop").start()
      try {
        query.processAllAvailable()
        assert(Windrow.explainAcceleration(query).operators.forall(_.isAccelerated))
      } finally query.stop()
    } finally session.conf.unset(AccelerationRule.Setting)
  }

  full("a restart does not depend on the state store and the watermark policy of the session, and dropped rows count") {
    val changed = Map(
      "spark.sql.streaming.stateStore.providerClass" ->
        "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider",
      "spark.sql.streaming.multipleWatermarkPolicy" -> "max")
    val before = changed.keys.map(name => name -> session.conf.getOption(name)).toMap
    var starts = 0
    val query = new Compared(
      spark,
      "append",
      "5 seconds",
      Seq(Compared.events(7, 3), Compared.events(8, 3)),
      session => {
        starts += 1
        if (starts == 2) changed.foreach { case (name, value) => session.conf.set(name, value) }
        session.sql(
          "SELECT window, d, v, unix_micros(time), count(*) FROM (SELECT * FROM t0 UNION ALL SELECT * FROM t1) " +
            "GROUP BY window(time, '20 seconds'), d, v, unix_micros(time) UNION ALL " +
            s"SELECT window(a.time, '1 hour'), a.d, b.v, 0, 0 FROM t0 a JOIN t1 b ON $between")
      })
    val windrow =
      try query.run(Seq(0 -> true, 2 -> true))
      finally before.foreach { case (name, value) => value.fold(session.conf.unset(name))(session.conf.set(name, _)) }
    assert(starts == 2 && windrow.operators == Seq.fill(2)("transformWithStateExec"))
    val off = query.run(Seq(0 -> false, 2 -> false)) // a restart forgets the watermarks of the inputs
    assert(windrow.differsFrom(off).isEmpty && off.dropped > 1 && windrow.dropped == off.dropped)
  }

  private def seconds(times: (Int, Int, String)*) = times.map { case (minute, second, key) =>
    Event(0, java.sql.Timestamp.valueOf(f"2024-01-01 09:$minute%02d:$second%02d"), key, 1L, 1.0, b = true)
  }

  full("rows that Spark removes before the watermark do not advance it") {
    val filtered = compared(
      "SELECT window, k, count(*) FROM t0 GROUP BY window(time, '1 minute'), k HAVING k = 'a'",
      inputs = Seq(Seq(seconds((0, 10, "a")), seconds((10, 0, "b")), seconds((0, 20, "a"), (2, 0, "a")))),
      delay = 30)
    val windrow = filtered.on
    assert(windrow.codes == Seq("accelerated"))
    assert(windrow.differsFrom(filtered.off).isEmpty && windrow.rows > 0)
    // Spark moves the condition on the key, but not that on overlapping windows.
    assert(codes(sql("SELECT k, count(*) FROM t GROUP BY window(time, '1 minute', '30 seconds'), k " +
      "HAVING k = 'a' AND window.start > TIMESTAMP'2024-01-01 09:00:00'")) == Seq("FILTER_BELOW_WATERMARK"))
  }

  /** Random older rows first, then rows at the watermark, without a key, without partners, and late ones. */
  private val left = Seq(
    Compared.events(8, 1).head ++ seconds((0, 20, "a"), (0, 21, "c")),
    seconds((1, 0, "a"), (1, 10, null)),
    seconds((9, 0, null), (0, 1, "a")),
    seconds((1, 5, "a")))
  private val right = Seq(
    Compared.events(9, 1).head ++ seconds((0, 20, "a"), (0, 30, null)),
    seconds((0, 10, "a"), (0, 40, "d"), (1, 15, null)),
    seconds((1, 10, "a")),
    seconds((1, 0, "a"), (9, 30, "b")))

  full("joins of all kinds store only the columns that the query reads") {
    var added = ""
    val query = new Compared(
      spark,
      "append",
      "10 seconds",
      Seq(left, right),
      session => {
        def side(table: String) = s"(SELECT $added *, window(time, '40 seconds') AS w FROM $table)"
        def joined(kind: String, columns: String, on: String) =
          s"SELECT '$kind' AS kind, a.k, $columns FROM ${side("t0")} a $kind JOIN ${side("t1")} b ON a.k = b.k AND $on"
        def near(from: String, to: String) =
          s"b.time $from a.time - INTERVAL 20 SECONDS AND b.time $to a.time + INTERVAL 30 SECONDS"
        val all = Seq(
          joined("INNER", "a.time, b.time AS other", near(">=", "<=") + " AND a.v + b.v > 1"),
          joined("RIGHT", "a.time, b.time", near(">", "<=") + " AND (a.v < b.v OR a.time < b.time)"),
          joined("FULL", "a.w.end, b.w.end", "a.w = b.w"),
          joined("LEFT SEMI", "a.time, NULL", near(">", "<=") + " AND b.v > 0"))
        added = "1 AS one, "
        session.sql((if (isFull) all else all.drop(2)).mkString(" UNION ALL "))
      })
    val windrow = query.run(Seq(0 -> true, 2 -> true))
    assert(windrow.codes == Seq.fill(if (isFull) 4 else 2)("accelerated"))
    val off = query.run(Seq(0 -> false, 2 -> false)) // a restart forgets the watermarks of the inputs
    assert(windrow.differsFrom(off).isEmpty && windrow.rows > 0)
    val kinds = windrow.batches.values.flatten.groupBy(_.getString(0))
    assert(kinds("FULL").exists(_.isNullAt(2)) && kinds("FULL").exists(_.isNullAt(3)) && kinds("LEFT SEMI").nonEmpty)
    assert(!isFull || kinds("RIGHT").exists(_.isNullAt(2)) && kinds("INNER").nonEmpty)
  }

  test("a chain emits all windows and joined rows in the micro-batch that completes them") {
    val counts =
      "SELECT window_time(window) AS time, k, n FROM (SELECT window, k, sum(n) AS n FROM (SELECT window AS w, k, " +
        "count(*) AS n FROM t0 GROUP BY window(time, '3 seconds', '2 seconds'), k) GROUP BY window(w, '6 seconds'), k)"
    val chain = compared(
      s"SELECT window, sum(n), count(b.v) FROM ($counts) a LEFT JOIN t1 b ON a.k = b.k AND " +
        "b.time BETWEEN a.time - INTERVAL 4 SECONDS AND a.time + INTERVAL 7 SECONDS GROUP BY window(a.time, '6 seconds')",
      inputs = Seq(Compared.events(8, 3), Compared.events(9, 3)))
    val (off, on) = (chain.off, chain.on)
    assert(on.differsFrom(off).isEmpty && off.rows > 5)
    assert(on.codes == Seq.fill(4)("accelerated"))
  }

  test("conditions on windows, averages of short decimals, and ranges of days stay with Spark") {
    val windows = "SELECT window(time, '1 minute', '30 seconds') AS w FROM t"
    assert(
      codes(sql(s"SELECT w, count(*) FROM ($windows) WHERE w.start <> TIMESTAMP'2024-01-01 09:00:00' GROUP BY w")) ==
        Seq("WINDOW_NOT_RECOGNIZED"))
    def mean(digits: Int) =
      codes(sql(s"SELECT window, avg(cast(v AS decimal($digits, 2))) FROM t GROUP BY window(time, '1 minute')"))
    assert(mean(11) == Seq("AVERAGE_OF_DECIMALS") && mean(12) == Seq("accelerated"))
    table.createOrReplaceTempView("u")
    def joined(range: String) = codes(sql(
      s"SELECT a.k FROM t a JOIN u b ON a.k = b.k AND b.time BETWEEN a.time AND a.time + INTERVAL $range"))
    val zone = session.conf.get("spark.sql.session.timeZone")
    try {
      session.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
      assert(joined("1 DAY") == Seq("JOIN_RANGE_OF_DAYS") && joined("24 HOURS") == Seq("JOIN_RANGE_OF_DAYS"))
      assert(joined("23 HOURS") == Seq("accelerated"))
    } finally session.conf.set("spark.sql.session.timeZone", zone)
  }

  test("a query that no longer fits Windrow's checkpoint is refused") {
    def refused(code: String, inputs: Int)(before: => String)(later: => String): Unit = {
      val texts = Iterator(() => before, () => later)
      val query = new Compared(spark, "append", "5 seconds", Seq.fill(inputs)(input.head), _.sql(texts.next()()))
      val wrong = intercept[CheckpointError](query.run(Seq(0 -> true, 1 -> true)))
      assert(wrong.getMessage.startsWith("[CHECKPOINT_OF_WINDROW]") && wrong.getMessage.contains(code))
    }
    def window(function: String) = s"SELECT window, $function FROM t0 GROUP BY window(time, '20 seconds')"
    refused("AGGREGATE_ORDER", 1)(window("count(*)"))(window("first(v)"))
    // Spark does not store the zone, so a day has another length after the restart.
    val join = "SELECT a.k FROM t0 a JOIN t1 b ON a.k = b.k AND b.time BETWEEN a.time AND a.time + INTERVAL 1 DAY"
    val zone = session.conf.get("spark.sql.session.timeZone")
    try
      refused("JOIN_RANGE_OF_DAYS", 2)(join) {
        session.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
        join
      }
    finally session.conf.set("spark.sql.session.timeZone", zone)
  }

  full("the greatest values of a window, which do not depend on the order of rows, are accelerated") {
    val query = compared("""SELECT window, k, windrow_top_n(2, v) WITHIN GROUP (ORDER BY d DESC) AS best FROM t0
      GROUP BY window(time, '20 seconds'), k""")
    val (off, on) = (query.off, query.on)
    assert(on.differsFrom(off).isEmpty && off.rows > 10 && on.codes == Seq("accelerated"))
  }

  test("in mode update a window is emitted in each micro-batch that adds a row, and only then") {
    val query =
      compared("SELECT window, min(d) AS d FROM t0 GROUP BY window(time, '20 seconds', '10 seconds')", "update")
    val (off, on) = (query.off, query.on)
    assert(on.differsFrom(off).isEmpty && off.rows > 10)
    assert(on.operators == Seq("transformWithStateExec"))
  }

  test("in mode update a window is not emitted again if only the last digits of its result differ") {
    val sql = "SELECT window.end AS until, k AS key0, count(*) AS a0, count_if(b) AS a1, sum(v) AS a2, " +
      "stddev(v) AS a3, approx_count_distinct(v) AS a4 FROM (SELECT *, concat(k, 'x') AS more FROM " +
      "(SELECT * FROM t0 UNION ALL SELECT * FROM t1) WHERE b) " +
      "GROUP BY k, window(time, '28 seconds', '20 seconds', '0 seconds') HAVING count(*) > 1 AND k <> 'k1'"
    val shape = Shape("AccelerationRuleSuite", sql, "update", _.sql(sql))
    val found = new Together(spark, "10 seconds", 9, 80, 431209130181L).compare(Seq(shape)) // it differs in one window
    assert(found.forall(one => one.rows > 50 && one.difference.isEmpty), found)
  }

  private val between = "a.k = b.k AND b.time >= a.time AND b.time <= a.time + INTERVAL 20 SECONDS"

  full("an error in a part of a condition that no row reaches does not end the start") {
    val query = compared(
      s"SELECT a.time, b.time AS other FROM t0 a JOIN t1 b ON $between AND if(a.b OR b.b, true, a.v + b.v > 1/0)",
      inputs = Seq(Compared.events(8, 2), Compared.events(9, 2)).map(_.map(_.map(_.copy(b = true)))))
    val (off, on) = (query.off, query.on)
    assert(on.codes == Seq("accelerated") && on.differsFrom(off).isEmpty && off.rows > 5)
    assert(codes(sql(s"SELECT window, count(*) FROM t WHERE v > 1/0 GROUP BY window(time, '1 minute')")) ==
      Seq("ACCELERATION_FAILED"))
  }

  test("joins that stay have a reason") {
    Seq("a", "b").foreach(table.createOrReplaceTempView)
    def code(join: String) = codes(session.sql(s"SELECT a.v FROM $join"))
    assert(code(s"a JOIN b ON $between") == Seq("accelerated"))
    assert(code(s"a LEFT JOIN b ON $between AND a.v > 3") == Seq("JOIN_CONDITION"))
    assert(code("a JOIN b ON a.k = b.k") == Seq("JOIN_WITHOUT_TIME"))
    assert(code("a JOIN b ON a.k = b.k AND a.time = b.time") == Seq("accelerated"))
    // Spark keeps a row for the time of the other side, so a wait of 0 would lose its partner.
    assert(code("a JOIN b ON a.k = b.k AND b.time = a.time + INTERVAL 1 MINUTE") == Seq("OPERATOR_NOT_ACCELERATED"))
    val counts = "SELECT window AS w, k, max(to_timestamp(v)) AS other FROM b GROUP BY window(time, '1 minute'), k"
    assert(code(s"a JOIN ($counts) b ON ${between.replace("b.time", "b.other")}").head == "WATERMARK_OF_OTHER_COLUMN")
    assert(code("a JOIN b ON b.time BETWEEN a.time AND a.time + INTERVAL 1 SECOND") == Seq("NOT_SUPPORTED_BY_SPARK"))
    val several = s"(SELECT a.time, b.time AS other, a.k FROM a JOIN b ON $between)"
    val chain   = s"$several x LEFT JOIN b ON x.k = b.k AND b.time BETWEEN x.time AND x.time + INTERVAL 1 SECOND"
    assert(codes(session.sql(s"SELECT x.k FROM $chain")) == Seq("accelerated", "accelerated"))
    assert(codes(session.sql(s"SELECT x.other FROM $chain")) == Seq("NOT_SUPPORTED_BY_SPARK", "OPERATOR_ABOVE_KEPT"))
    def greatest(of: String) = s"(SELECT window(time, '26 seconds') AS w, k, max(v) AS v FROM $of GROUP BY 1, k)"
    assert(code(s"${greatest("a")} a LEFT SEMI JOIN ${greatest("b")} b ON a.w = b.w").head == "JOIN_REPLACED")
    assert(code(s"${greatest("a")} a LEFT JOIN ${greatest("b")} b ON a.w = b.w").head == "accelerated")
    assert(code(s"(SELECT * FROM a UNION ALL SELECT * FROM a) a LEFT SEMI JOIN b ON $between") == Seq("JOIN_REPLACED"))
  }

  test("operators of a chain are named from the sink on, and replaced together or not at all") {
    val chain = sql("""SELECT window, sum(n) FROM (
      SELECT window AS w, k, count(*) AS n FROM t GROUP BY window(time, '10 seconds'), k) GROUP BY window(w, '1 minute')""")
    val found = Windrow.explainAcceleration(chain).operators
    assert(found.map(_.name) == Seq("accelerated_0", "accelerated_1") && found.forall(_.isAccelerated))
    val above = sql("""SELECT window, collect_list(n) FROM (
      SELECT window AS w, k, count(*) AS n FROM t GROUP BY window(time, '10 seconds'), k) GROUP BY window(w, '1 minute')""")
    assert(codes(above) == Seq("AGGREGATE_ORDER", "OPERATOR_ABOVE_KEPT"))
    assert(codes(table.dropDuplicates("k").groupBy(minute).count()) == Seq("accelerated", "DEDUP_WITHOUT_TIME"))
  }

  test("each operator that stays has a reason") {
    val counts = table.groupBy(minute).count()
    assert(codes(counts) == Seq("accelerated"))
    assert(codes(counts, OutputMode.Update()) == Seq("accelerated"))
    assert(codes(counts, OutputMode.Complete()) == Seq("COMPLETE_MODE"))
    assert(codes(table.groupBy("k").count(), OutputMode.Update()) == Seq("NO_WINDOW"))
    assert(codes(MemoryStream[Event].toDF().groupBy(minute).count(), OutputMode.Update()) == Seq("NO_WATERMARK"))
    assert(codes(table.groupBy(minute).agg(first("v"))) == Seq("AGGREGATE_ORDER"))
    assert(codes(table.groupBy(minute).agg(collect_list("v"))) == Seq("AGGREGATE_ORDER"))
    assert(codes(table.groupBy(minute).agg(min(expr("k COLLATE UTF8_LCASE")))) == Seq("AGGREGATE_ORDER"))
    assert(codes(table.groupBy(minute).agg(count(expr("k COLLATE UTF8_LCASE")))) == Seq("accelerated"))
    assert(codes(table.limit(3)) == Seq("OPERATOR_NOT_ACCELERATED"))
    assert(codes(table.select("k").except(session.sql("SELECT 'a'")), OutputMode.Update()) ==
      Seq("OPERATOR_NOT_ACCELERATED"))
    val gap      = when(col("v") > 50, "5 seconds").otherwise("9 seconds")
    val sessions = session_window(col("time"), gap)
    assert(codes(table.groupBy(sessions, col("k")).count()) == Seq("accelerated"))
    assert(codes(table.groupBy(sessions).count()) == Seq("NOT_SUPPORTED_BY_SPARK"))
    assert(codes(table.groupBy(minute, col("time")).count()) == Seq("NOT_SUPPORTED_BY_SPARK"))
    assert(
      codes(sql("SELECT max(window.start) FROM t GROUP BY window(time, '1 minute')")) == Seq("WINDOW_NOT_RECOGNIZED"))
    assert(codes(table) == Nil)
    val other = session.newSession()
    other.conf.set(
      "spark.sql.streaming.stateStore.providerClass",
      "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider")
    val plan = SparkInside.plan(counts)
    assert(AccelerationRule.explain(
      other,
      plan,
      OutputMode.Append(),
      hasRule = true).operators.flatMap(_.reason).map(_.code) == Seq(
      "STATE_STORE_NOT_ROCKSDB"))
    assert(AccelerationRule.explain(
      session,
      plan,
      OutputMode.Append(),
      hasRule = false).operators.flatMap(_.reason).map(
      _.code) == Seq("ACCELERATION_NOT_INSTALLED"))
  }

  test("a query that Spark refuses is not explained as accelerated") {
    val refused  = Seq("NOT_SUPPORTED_BY_SPARK")
    val sessions = table.groupBy(session_window(col("time"), "5 seconds"), col("k")).count()
    assert(codes(sessions) == Seq("accelerated") && codes(sessions, OutputMode.Update()) == refused)
    assert(codes(table.groupBy(minute).agg(count_distinct(col("v")))) == refused)
    Seq("a", "b").foreach(table.createOrReplaceTempView)
    assert(codes(session.sql(s"SELECT a.v FROM a LEFT JOIN b ON $between"), OutputMode.Update()) == refused)
    val chain = sql("SELECT window, count(*) FROM (SELECT window AS w FROM t GROUP BY window(time, '5 seconds')) " +
      "GROUP BY window(w, '1 minute')")
    assert(codes(chain, OutputMode.Update()) == refused ++ refused)
    val why = Windrow.explainAcceleration(sessions, OutputMode.Update()).toString
    assert(why.contains("Spark does not support the query (Invalid streaming output mode: update."), why)
  }

  test("the log contains once that Spark runs a query, with the reasons") {
    val seen = scala.collection.mutable.Buffer.empty[String]
    val appender = new AbstractAppender("seen", null, null, false, Property.EMPTY_ARRAY) {
      override def append(event: LogEvent): Unit = seen += event.getMessage.getFormattedMessage
    }
    val logger = LogManager.getLogger(classOf[AccelerationRule].getName).asInstanceOf[Logger]
    val level  = logger.getLevel
    appender.start()
    logger.addAppender(appender)
    logger.setLevel(Level.WARN)
    def started(sql: String, isOn: Boolean) = { seen.clear(); compared(sql).run(Seq(0 -> isOn)); seen.toSeq }
    try {
      val first = "SELECT window, first(v) FROM t0 GROUP BY window(time, '20 seconds')"
      val lines = started(first, isOn = true)
      assert(lines.size == 1 && lines.head.startsWith("Spark runs query"), lines)
      assert(lines.head.contains("aggregate by window: [AGGREGATE_ORDER]"), lines)
      assert(started(first, isOn = false).isEmpty)
      assert(started(first.replace("first", "max"), isOn = true).isEmpty)
    } finally {
      logger.removeAppender(appender)
      logger.setLevel(level)
    }
  }

  test("later starts do not change the decisions about a running query") {
    val counts = table.groupBy("k").count()
    val folder = SparkSuite.folder()
    def start() =
      counts.writeStream.format("noop").outputMode("update").queryName("same").option(
        "checkpointLocation",
        folder).start()
    val query = start()
    try {
      session.conf.set(AccelerationRule.Setting, "true")
      intercept[IllegalArgumentException](start()) // the name is taken
      assert(Windrow.explainAcceleration(query).operators.flatMap(_.reason).map(_.code) == Seq("ACCELERATION_OFF"))
      assert(RunningQuery.plan(query).exists(_.isInstanceOf[Aggregate]))
    } finally {
      session.conf.unset(AccelerationRule.Setting)
      query.stop()
    }
  }

  test("a union with watermark policy max stays") {
    session.conf.set("spark.sql.streaming.multipleWatermarkPolicy", "max")
    try assert(codes(table.union(table).groupBy(minute).count()) == Seq("WATERMARK_POLICY"))
    finally session.conf.unset("spark.sql.streaming.multipleWatermarkPolicy")
  }

  test("columns keep their ids, names, types, and metadata") {
    val query = sql("SELECT window, k AS `a b`, sum(v) FROM t GROUP BY window(time, '1 minute'), k")
    val old   = SparkInside.plan(query)
    val made  = new Rewrite(session, OutputMode.Append(), AcceleratedSettings(session))(old)
    assert(made.count == 1)
    def shape(of: Seq[org.apache.spark.sql.catalyst.expressions.Attribute]) =
      of.map(one => (one.exprId, one.name, one.dataType, one.nullable, one.metadata))
    assert(shape(made.plan.output) == shape(old.output))
    assert(made.plan.output.head.metadata.contains(TimeWindow.marker))
    assert(!made.plan.output.head.metadata.contains(SessionWindow.marker))
  }
}
