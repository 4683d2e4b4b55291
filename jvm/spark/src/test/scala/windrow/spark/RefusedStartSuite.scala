package windrow.spark

import java.nio.file.{Files => Folders, Path}
import java.sql.DriverManager
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.Trigger
import org.scalatest.tags.Slow
import scala.jdk.CollectionConverters._
import scala.util.{Random, Try}
import windrow._
import windrow.spark.jdbc.WithoutSavepoints
import windrow.spark.sinks._

/** Tests that every problem that can be detected before the first micro-batch fails the start, and that a failed start
  * leaves no files (SEMANTICS B13). The tests list the disk before and after.
  */
@Slow
final class RefusedStartSuite extends SparkSuite {
  private val root       = Path.of(SparkSuite.folder())
  private val checkpoint = s"$root/checkpoint"
  private val none       = Each((_, _) => ())

  private lazy val input: DataFrame = {
    spark.sql("SELECT 'a' id, TIMESTAMP '2026-01-01' time, 1L value").write.json(s"$root/in")
    spark.readStream.schema("id string, time timestamp, value bigint").json(s"$root/in")
  }

  private def minutes(of: DataFrame, name: String = "total"): Output =
    Windrow.stream(of, time = "time", key = Seq("id"), watermark = Some("0 seconds")).lateness("0 seconds")
      .window(Tumbling("1 minute")).aggregate(sum("value").as(name))

  private def disk(): Set[String] = {
    input: Unit
    Seq(root, Path.of(spark.conf.get("spark.sql.warehouse.dir").stripPrefix("file:"))).flatMap(folder =>
      Folders.walk(folder).iterator.asScala.map(_.toString)).toSet
  }

  private def refused(start: => Any): Seq[String] = {
    val (before, tables) = (disk(), spark.catalog.listTables().count())
    val wrong            = intercept[Exception](start)
    assert(disk() == before && spark.catalog.listTables().count() == tables)
    wrong match {
      case several: SpecError => several.problems.map(_.code)
      case one                => Seq(one.getMessage.takeWhile(_ != ']').stripPrefix("["))
    }
  }

  private def exists(database: String, table: String) =
    Try(spark.read.format("jdbc").option("url", database).option("dbtable", table).load()).isSuccess

  private def ofPanes(sink: Sink, of: => DataFrame = input) = refused(minutes(of).start(checkpoint, panes = sink))

  test("formats that cannot store the columns") {
    for (format <- Seq("csv", "text"))
      assert(ofPanes(Files(s"$root/out", format)) == Seq("FORMAT_NOT_FOR_ROWS"))
    val strange = input.selectExpr("*", "make_interval(0, 1) AS odd")
    for (format <- if (isFull) Seq("parquet", "orc") else Seq("orc"))
      assert(refused(minutes(strange).start(checkpoint, rejected = Files(s"$root/out", format))) ==
        Seq("FORMAT_NOT_FOR_ROWS"))
    assert(ofPanes(Files(s"$root/out", "binaryFile")) == Seq("FORMAT_NOT_FOR_ROWS"))
    assert(refused(minutes(strange).start(checkpoint, rejected = Table("odd"))) == Seq("TABLE_NOT_USABLE"))
  }

  test("folders inside folders, however they are written") {
    val out = s"$root/out"
    Folders.createSymbolicLink(root.resolve("link"), Folders.createDirectories(root.resolve("target")))
    val pairs = Seq(
      out                   -> s"$out/rejected",
      s"$out/"              -> s"file:$out/a/../rejected",
      s"file://$out"        -> s"$out//rejected/",
      s"$root/link"         -> s"$root/target/rejected",
      s"$root/link/missing" -> s"$root/target/missing/rejected")
    for ((outer, inner) <- if (isFull) pairs else pairs.takeRight(2)) {
      def start(panes: String, rejected: String, checkpoint: String = checkpoint) =
        refused(minutes(input).start(checkpoint, panes = Files(panes), rejected = Files(rejected)))
      assert(start(outer, inner) == Seq("FOLDERS_NESTED"), s"$inner in $outer")
      if (isFull || outer == pairs.last._1) {
        assert(start(inner, outer) == Seq("FOLDERS_NESTED"), s"$outer around $inner")
        assert(start(outer, s"$root/beside", inner) == Seq("FOLDERS_NESTED"), s"the checkpoint $inner in $outer")
        assert(start(inner, s"$root/beside", outer) == Seq("FOLDERS_NESTED"), s"$inner in the checkpoint $outer")
        assert(start(outer, s"$outer/.") == Seq("SINK_SHARED"))
        assert(start(outer, s"$root/beside", outer) == Seq("SINK_SHARED"))
      }
    }
    Folders.writeString(root.resolve("file"), "")
    assert(ofPanes(Files(s"$root/file")) == Seq("FOLDER_NOT_USABLE"))
    assert(ofPanes(Files("nothing://at/all")) == Seq("FOLDER_NOT_USABLE"))
    assert(ofPanes(Files("")) == Seq("FOLDER_NOT_USABLE"))
    val secret = intercept[SpecError](minutes(input).start(checkpoint, panes = Files("nothing://key:hush@all/out")))
    assert(!secret.getMessage.contains("hush") && secret.getMessage.contains("nothing://…@all/out"))
  }

  test("all of it in one message, with the checkpoint and the sinks") {
    minutes(input).start(s"$root/begun", panes = none, queryTrigger = Some(Trigger.AvailableNow())).awaitTermination()
    val changed = Windrow.stream(input, time = "time", key = Seq("id"), watermark = Some("0 seconds"))
      .lateness("0 seconds").window(Tumbling("5 minutes")).aggregate(sum("value").as("batch"))
    val found = refused(changed.start(
      s"$root/begun",
      panes = Files(s"$root/out", "csv"),
      rejected = Jdbc("jdbc:nothing:at", "all"),
      drain = true))
    assert(found.toSet == Set(
      "DRAIN_WITHOUT_END",
      "NAME_TAKEN",
      "FORMAT_NOT_FOR_ROWS",
      "DRAIN_NOT_STARTED",
      "SPEC_CHANGED",
      "JDBC_REFUSED"))
  }

  test("queries that Spark cannot run, and names that are taken") {
    assert(ofPanes(none, input.orderBy("value")) == Seq("QUERY_REFUSED"))
    val running = spark.readStream.format("rate").load().writeStream.format("noop").queryName("taken").start()
    try assert(refused(minutes(input).start(checkpoint, panes = none, name = Some("taken"))) == Seq("QUERY_NAME_TAKEN"))
    finally running.stop()
  }

  test("databases and tables") {
    assert(ofPanes(Jdbc("jdbc:nothing:at", "all")) == Seq("JDBC_REFUSED"))
    val derby = "jdbc:derby:memory:refused;create=true"
    val both  = minutes(input)
    assert(refused(both.start(checkpoint, Jdbc(derby, "one"), Jdbc("jdbc:nothing:at", "all"))) == Seq("JDBC_REFUSED"))
    assert(!exists(derby, "one") && !exists(derby, "windrow_batches"))
    assert(refused(both.start(checkpoint, Jdbc(derby, "one"), Jdbc(derby, "one"))) == Seq("SINK_SHARED"))
    val plain = Jdbc(derby.replace("derby", "plain"), "one", deadLetter = Some("refused"))
    DriverManager.registerDriver(new WithoutSavepoints)
    assert(ofPanes(plain) == Seq("DEAD_LETTER_NOT_POSSIBLE"))
    assert(ofPanes(Upsert("missing")) == Seq("TABLE_NOT_MERGEABLE"))
    assert(ofPanes(Table("a b")) == Seq("TABLE_NOT_USABLE"))
    spark.sql("CREATE TABLE of_json (id INT) USING json")
    try assert(ofPanes(Table("of_json")) == Seq("TABLE_COLUMNS_DIFFER"))
    finally { spark.sql("DROP TABLE of_json"); () }
    val warehouse = spark.conf.get("spark.sql.warehouse.dir").stripPrefix("file:")
    assert(refused(both.start(checkpoint, Table("outer_table"), Files(s"$warehouse/outer_table/rejected"))) ==
      Seq("FOLDERS_NESTED"))
    assert(refused(both.start(checkpoint, Table("same"), Table("default.same"))) == Seq("SINK_SHARED"))
  }

  /** Sinks that are refused, with their errors, and sinks that are not.
    *
    * @param ofUpsert
    *   the error for a table that Upsert cannot write
    */
  private def sinks(derby: String, ofUpsert: String): Seq[(Sink, Option[String])] = Seq(
    Files(s"$root/csv", "csv")     -> Some("FORMAT_NOT_FOR_ROWS"),
    Files("nothing://at/all")      -> Some("FOLDER_NOT_USABLE"),
    Jdbc("jdbc:nothing:at", "all") -> Some("JDBC_REFUSED"),
    Upsert("missing")              -> Some(ofUpsert),
    Table("a b")                   -> Some("TABLE_NOT_USABLE"),
    Files(s"$checkpoint/inside")   -> Some("FOLDERS_NESTED"),
    none                           -> None,
    Files(s"$root/fine")           -> None,
    Table("fine")                  -> None,
    Jdbc(derby, "fine")            -> None)

  test("pairs of sinks, of which one or both are refused") {
    val derby = "jdbc:derby:memory:pairs;create=true"
    val all = for {
      (panes, wrong)       <- sinks(derby, "TABLE_NOT_MERGEABLE")
      (rejected, wrongToo) <- sinks(derby, "UPSERT_NOT_OF_PANES")
      if panes != rejected && (wrong.isDefined || wrongToo.isDefined)
    } yield (panes, rejected, wrong.toSet ++ wrongToo)
    for ((panes, rejected, codes) <- if (isFull) all else Random.shuffle(all).take(4)) {
      val found = refused(minutes(input).start(checkpoint, panes = panes, rejected = rejected)).toSet
      assert(codes.subsetOf(found), s"$panes and $rejected: $found")
      assert(!exists(derby, "fine") && !exists(derby, "windrow_batches"), s"$panes and $rejected")
    }
  }

  test("a start that fails after its checks removes the things that it created") {
    final class Failing extends Sink {
      def write(rows: DataFrame, batch: Long): Unit = ()
      override private[spark] def of(query: String, checkpoint: String, kind: String): Sink =
        throw new IllegalStateException("[LATE] after the claim")
    }
    val failing = new Failing
    for (drain <- Seq(true, false)) assert(refused(minutes(input).start(
      s"$root/new/checkpoint",
      panes = failing,
      rejected = Files(s"$root/other/out"),
      queryTrigger = Some(Trigger.AvailableNow()),
      drain = drain)) == Seq("LATE"))
  }
}
