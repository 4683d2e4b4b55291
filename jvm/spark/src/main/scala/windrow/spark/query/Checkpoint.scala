package windrow.spark.query

import com.fasterxml.jackson.databind.ObjectMapper
import java.nio.charset.StandardCharsets.UTF_8
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.functions.{col, lit}
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.sql.{DataFrame, DataFrameReader, Dataset, Encoder, Encoders, Row, SparkSession}
import scala.jdk.CollectionConverters._
import scala.util.{Try, Using}
import windrow.core.state.{ByteReader, DamagedStateError, InMemoryShardStore, SpecFingerprint}
import windrow.spark.shards.OperatorDescriptor
import windrow.spark.verify.Storage
import windrow.{CheckpointError, ErrorConditions}

/** A value of a shard's state.
  *
  * @param space
  *   null for the header
  */
private[query] final case class StoredValue(shard: Int, space: String, id: Long, bytes: Array[Byte])

private object StoredValue {

  /** Returns the error of a value whose checksum is wrong. */
  def wrong(value: StoredValue): Option[String] = {
    val what = Option(value.space).fold("the header")(space => s"value ${value.id} of '$space'")
    try {
      ByteReader.unsealed(value.bytes, s"$what in shard ${value.shard}")
      None
    } catch { case wrong @ (_: DamagedStateError | _: CheckpointError) => Some(wrong.getMessage) }
  }
}

/** The state of an operator with the description of one of its streams, as committed by one micro-batch. */
private[query] final case class StoredState(operator: StoredOperator, descriptor: StateDescriptor)

/** The state of an operator after a step. */
private[spark] trait StoredOperator {

  /** The streams that can be queried. A join has several. */
  private[query] def streams: Seq[StateDescriptor]

  /** Returns the values of all shards or of one, in the spaces that are needed. */
  private[query] def values(shard: Option[Int], needs: String => Boolean): Dataset[StoredValue]
}

/** The state of an operator as committed by one micro-batch. A running query does not change it.
  *
  * @param batch
  *   the number of the micro-batch
  */
private[query] final class CommittedOperator(
    session: SparkSession,
    path: String,
    operator: Long,
    batch: Long,
    spaces: Seq[String])
    extends StoredOperator {

  lazy val streams: Seq[StateDescriptor] = {
    val kept = variable(OperatorDescriptor.Variable).select("value").collect()
    if (kept.isEmpty) throw DamageGuard.damaged(path, "it does not describe its state")
    StateDescriptor.read(kept.head.getAs[Array[Byte]](0), path)
  }

  def values(shard: Option[Int], needs: String => Boolean): Dataset[StoredValue] = {
    val header = variable("header").select(col("key"), lit(null).as("space"), lit(0L).as("id"), col("value"))
    val others = spaces.filter(needs).map(space =>
      variable(space).select(col("key"), lit(space).as("space"), col("user_map_key"), col("user_map_value")))
    val all = others.foldLeft(header)(_.unionAll(_)).toDF("shard", "space", "id", "bytes")
    shard.fold(all)(one => all.where(col("shard") === one)).as(StoredOperator.encoder)
  }

  /** Reads a state variable. Each of its columns is a struct of one field whose name differs between Spark versions, so
    * the field replaces the struct.
    */
  private def variable(name: String): DataFrame = DamageGuard(path) {
    val rows = Checkpoint.variable(session, operator, batch, name).load(path)
    rows.select(rows.schema.collect { case StructField(column, fields: StructType, _, _) =>
      col(column).getField(fields.head.name).as(column)
    }: _*)
  }
}

private[spark] object StoredOperator {
  private[query] val encoder: Encoder[StoredValue] = Encoders.product

  /** Returns an operator whose shards are in memory.
    *
    * @param about
    *   its descriptor
    */
  def held(session: SparkSession, about: OperatorDescriptor, shards: Map[Int, InMemoryShardStore]): StoredOperator =
    new StoredOperator {
      private[query] def streams = StateDescriptor.read(about.bytes, InMemory)

      private[query] def values(shard: Option[Int], needs: String => Boolean) = {
        val all = shards.toSeq.filter { case (number, store) => store.header != null && shard.forall(_ == number) }
        val found = all.flatMap { case (number, store) =>
          StoredValue(number, null, 0, store.header) +: store.entries.collect {
            case (space, id, bytes) if needs(space) => StoredValue(number, space, id, bytes)
          }.toSeq
        }
        session.createDataset(found)(encoder)
      }
    }

  /** Used in place of a path. */
  val InMemory = "memory"
}

/** The properties of a stored operator that are known before its query continues.
  *
  * @param timeMode
  *   of Spark's `transformWithState`
  * @param header
  *   the header of a shard; None if no shard has stored anything yet, as for an operator that has received no rows from
  *   an earlier one
  * @param names
  *   of its streams
  */
private[spark] final class CheckpointedOperator(
    val timeMode: String,
    header: Option[Array[Byte]],
    names: => Seq[String]) {

  /** Whether it replaced an operator of Spark. */
  def isAccelerated: Boolean = names.exists(AcceleratedNames.in(_).isDefined)

  /** The properties with which the checkpoint was created, as text; None if it accepts any.
    *
    * @throws CheckpointError
    *   if the header is damaged, or has a format that this version does not support
    */
  def fingerprint: Option[Seq[String]] =
    try header.map(SpecFingerprint.of)
    catch { case damaged: DamagedStateError => throw new CheckpointError(damaged.getMessage) }
}

private[spark] object Checkpoint {
  private val mapper = new ObjectMapper()

  /** Finds a Windrow operator of a query, as committed by its last micro-batch.
    *
    * @param named
    *   the name of its stream, or its number; None for the only one
    */
  private[query] def operator(
      session: SparkSession,
      path: String,
      named: Option[String],
      whole: Boolean): StoredState = {
    val folder = new Path(path)
    val files  = Storage.of(session.sparkContext.hadoopConfiguration, path)
    if (!files.exists(new Path(folder, "offsets")))
      throw new CheckpointError(ErrorConditions.message("CHECKPOINT_NOT_FOUND", "path" -> path))
    readable(session, path)
    if (lastCommit(session, path).isEmpty)
      throw new CheckpointError(ErrorConditions.message("CHECKPOINT_EMPTY", "path" -> path))
    val found = if (files.exists(new Path(folder, "state"))) operators(session, path) else Nil
    if (found.isEmpty)
      throw new CheckpointError(ErrorConditions.message("NO_WINDROW_STATE", "path" -> path))
    chosen(found, path, named, whole)
  }

  /** Returns the descriptions of Windrow's values whose own checksum is wrong in the last committed micro-batch.
    *
    * @throws CheckpointError
    *   if Spark cannot read the state
    */
  def wrongValues(session: SparkSession, path: String): Seq[String] = {
    readable(session, path)
    val rows = DamageGuard(path)(session.read.format("state-metadata").load(path).collect())
    rows.toSeq.filter(variablesOf(_).exists(_._1 == "header")).flatMap { row =>
      val stored = storedBy(session, path, row)
      DamageGuard(path)(stored.values(None, _ => true).flatMap(StoredValue.wrong(_))(Encoders.STRING).collect())
    }
  }

  private[query] def chosen(
      found: Seq[(Long, StoredOperator)],
      path: String,
      named: Option[String],
      whole: Boolean = false): StoredState = {
    val all = found.flatMap { case (number, one) => one.streams.map(number -> StoredState(one, _)) }
    val fitting = named.fold(unnamed(all))(name =>
      all.filter { case (number, state) => state.descriptor.name == name || number.toString == name })
    if (fitting.size == 1 || whole && fitting.map(_._1).distinct.size == 1) fitting.head._2
    else {
      val names = found.map { case (number, one) => s"${shown(one)} ($number)" }.mkString(", ")
      val why = named.fold("the call does not name one of them. Pass operator='…'")(name =>
        s"operator='$name' matches ${if (fitting.isEmpty) "none" else "several"} of them")
      throw new CheckpointError(ErrorConditions.message(
        "OPERATOR_NOT_CLEAR",
        "path"      -> path,
        "operators" -> names,
        "why"       -> why))
    }
  }

  /** Returns the operators from which a call without a name chooses. Deduplications and patterns before other operators
    * do not count, so that the windows behind a deduplication need no name.
    */
  private def unnamed(all: Seq[(Long, StoredState)]): Seq[(Long, StoredState)] = {
    val others = all.filterNot(_._2.descriptor.holds.isInstanceOf[StateDescriptor.KeyedState])
    if (others.isEmpty) all else others
  }

  private def shown(operator: StoredOperator): String = operator.streams.map(stream => s"'${stream.name}'") match {
    case Seq(one) => one
    case several  => several.mkString("a join of ", " and ", "")
  }

  /** Returns the number of the last committed micro-batch; None before the first one. */
  def lastCommit(session: SparkSession, path: String): Option[Long] = {
    val commits = new Path(path, "commits")
    val files   = Storage.of(session.sparkContext.hadoopConfiguration, path)
    Option.when(files.exists(commits))(files.listStatus(commits).toSeq).getOrElse(Nil)
      .map(_.getPath.getName).filter(_.forall(_.isDigit)).map(_.toLong).maxOption
  }

  /** Returns the watermark of the micro-batch after the last commit, in milliseconds; None if there is none yet. */
  def nextWatermark(session: SparkSession, path: String): Option[Long] = lastCommit(session, path).flatMap { commit =>
    val files = Storage.of(session.sparkContext.hadoopConfiguration, path)
    val text =
      Using.resource(files.open(new Path(path, s"commits/$commit")))(in => new String(in.readAllBytes(), UTF_8))
    text.linesIterator.drop(1).nextOption().map(mapper.readTree(_).path("nextBatchWatermarkMs").asLong).filter(_ > 0)
  }

  /** Whether the query has planned a micro-batch. */
  def isBegun(session: SparkSession, path: String): Boolean = lastPlan(session, path).isDefined

  /** Returns the number of the last planned micro-batch; None before the first one. */
  def lastPlan(session: SparkSession, path: String): Option[Long] = {
    val offsets = new Path(path, "offsets")
    val files   = offsets.getFileSystem(session.sparkContext.hadoopConfiguration)
    Option.when(files.exists(offsets))(files.listStatus(offsets).toSeq).getOrElse(Nil)
      .map(_.getPath.getName).filter(_.forall(_.isDigit)).map(_.toLong).maxOption
  }

  /** Returns the id of the query in Spark; None before its first start. */
  def queryId(session: SparkSession, path: String): Option[String] = {
    val metadata = new Path(path, "metadata")
    val files    = metadata.getFileSystem(session.sparkContext.hadoopConfiguration)
    Option.when(files.exists(metadata))(Using.resource(files.open(metadata))(in => mapper.readTree(in.readAllBytes)))
      .map(_.path("id").asText)
  }

  /** Returns the Windrow operators in the last committed micro-batch, from the sink on; none before the first one. */
  def begun(session: SparkSession, path: String): Seq[CheckpointedOperator] = {
    val files = new Path(path).getFileSystem(session.sparkContext.hadoopConfiguration)
    if (!Seq("offsets", "state").forall(name => files.exists(new Path(path, name)))) Nil
    else if (lastCommit(session, path).isEmpty) Nil // Spark could not read the state of batch -1
    else {
      readable(session, path)
      val rows = session.read.format("state-metadata").load(path).collect().toSeq
      rows.sortBy(_.getAs[Long]("operatorId")).flatMap { row =>
        val header = variable(session, row.getAs[Long]("operatorId"), row.getAs[Long]("maxBatchId"), "header")
        Option.when(variablesOf(row).map(_._1).contains("header"))(new CheckpointedOperator(
          timeModeOf(row),
          header.load(path).select("value.*").take(1).headOption.map(_.getAs[Array[Byte]](0)),
          Try(storedBy(session, path, row).streams.map(_.name)).getOrElse(Nil)))
      }
    }
  }

  /** Returns a Spark setting that the query keeps from its first micro-batch on, regardless of the session's present
    * value.
    */
  def begunWith(session: SparkSession, path: String, setting: String): Option[String] = {
    val offsets = new Path(path, "offsets")
    val files   = offsets.getFileSystem(session.sparkContext.hadoopConfiguration)
    for {
      batch <- Option.when(files.exists(offsets))(files.listStatus(offsets).toSeq.map(_.getPath)).getOrElse(Nil)
        .filter(_.getName.forall(_.isDigit)).maxByOption(_.getName.toLong)
      text <- Using(files.open(batch))(in => new String(in.readAllBytes, UTF_8)).toOption
      conf <-
        text.linesIterator.flatMap(line => Try(mapper.readTree(line)).toOption).map(_.path("conf")).find(_.isObject)
      value <- Option(conf.get(setting))
    } yield value.asText
  }

  /** Returns Spark's reader of a state variable in a micro-batch. Before Spark 4.3, the reader needs the streaming
    * query manager, which may not exist yet, so it is created here.
    */
  private[query] def variable(session: SparkSession, operator: Long, batch: Long, name: String): DataFrameReader = {
    session.streams: Unit
    session.read.format("statestore")
      .option("operatorId", operator).option("batchId", batch).option("stateVarName", name)
  }

  /** Returns the Windrow operators with their numbers in Spark. */
  private[query] def operators(session: SparkSession, path: String): Seq[(Long, StoredOperator)] = {
    val rows = DamageGuard(path)(session.read.format("state-metadata").load(path).collect())
    rows.toSeq.flatMap { row =>
      val variables = variablesOf(row)
      Option.when(variables.exists(_._1 == OperatorDescriptor.Variable))(
        row.getAs[Long]("operatorId") -> storedBy(session, path, row))
    }
  }

  private def storedBy(session: SparkSession, path: String, row: Row): StoredOperator = {
    val spaces = variablesOf(row).collect { case (name, "MapState") => name }
    new CommittedOperator(session, path, row.getAs[Long]("operatorId"), row.getAs[Long]("maxBatchId"), spaces)
  }

  private def timeModeOf(row: Row): String =
    mapper.readTree(row.getAs[String]("operatorProperties")).path("timeMode").asText

  /** Returns the name and type of each state variable. Only `transformWithState` has some. */
  private def variablesOf(row: Row): Seq[(String, String)] =
    Option(row.getAs[String]("operatorProperties")).filter(_.nonEmpty).toSeq.flatMap(properties =>
      mapper.readTree(properties).path("stateVariables").elements.asScala
        .map(one => one.path("stateName").asText -> one.path("stateVariableType").asText))

  /** Fails if Spark's state reader cannot read the path. The reader decodes it like a URI, so it would look elsewhere.
    */
  private def readable(session: SparkSession, path: String): Unit = {
    val folder = new Path(path)
    val whole  = folder.getFileSystem(session.sparkContext.hadoopConfiguration).makeQualified(folder).toUri
    if (whole.getRawPath != whole.getPath)
      throw new CheckpointError(
        ErrorConditions.message("CHECKPOINT_PATH_NOT_READABLE", "path" -> whole.getPath))
  }
}
