package windrow.spark.query

import com.fasterxml.jackson.databind.ObjectMapper
import java.nio.charset.StandardCharsets.UTF_8
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.DataFrameReader
import org.apache.spark.sql.Dataset
import org.apache.spark.sql.Encoder
import org.apache.spark.sql.Encoders
import org.apache.spark.sql.Row
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.functions.lit
import org.apache.spark.sql.types.StructField
import org.apache.spark.sql.types.StructType
import scala.jdk.CollectionConverters._
import scala.util.Try
import scala.util.Using
import windrow.CheckpointError
import windrow.ErrorConditions
import windrow.core.state.ByteReader
import windrow.core.state.DamagedStateError
import windrow.core.state.InMemoryShardStore
import windrow.core.state.SpecFingerprint
import windrow.spark.shards.OperatorDescriptor

/** A value of a shard's state.
  *
  * @param space
  *   null: it is the header
  */
private[query] final case class StoredValue(shard: Int, space: String, id: Long, bytes: Array[Byte])

private object StoredValue {

  /** What its checksum says against it. */
  def wrong(value: StoredValue): Option[String] = {
    val what = Option(value.space).fold("the header")(space => s"value ${value.id} of '$space'")
    try {
      ByteReader.unsealed(value.bytes, s"$what in shard ${value.shard}")
      None
    } catch { case wrong @ (_: DamagedStateError | _: CheckpointError) => Some(wrong.getMessage) }
  }
}

/** What an operator keeps of a stream, as one batch of its query has committed it. */
private[query] final case class StoredState(operator: StoredOperator, descriptor: StateDescriptor)

/** The state of an operator after a step. */
private[spark] trait StoredOperator {

  /** What can be asked for; of a join it is several streams. */
  private[query] def streams: Seq[StateDescriptor]

  /** Of all shards or of one; of the spaces that are needed. */
  private[query] def values(shard: Option[Int], needs: String => Boolean): Dataset[StoredValue]
}

/** As one batch of its query has committed it; a query that goes on does not change it.
  *
  * @param batch
  *   the batch
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
    if (kept.isEmpty) throw Reading.damaged(path, "it does not describe its state")
    StateDescriptor.read(kept.head.getAs[Array[Byte]](0), path)
  }

  def values(shard: Option[Int], needs: String => Boolean): Dataset[StoredValue] = {
    val header = variable("header").select(col("key"), lit(null).as("space"), lit(0L).as("id"), col("value"))
    val others = spaces.filter(needs).map(space =>
      variable(space).select(col("key"), lit(space).as("space"), col("user_map_key"), col("user_map_value")))
    val all = others.foldLeft(header)(_.unionAll(_)).toDF("shard", "space", "id", "bytes")
    shard.fold(all)(one => all.where(col("shard") === one)).as(StoredOperator.encoder)
  }

  /** Each column is a struct of one field, whose name differs between Spark versions; here it is that field. */
  private def variable(name: String): DataFrame = Reading(path) {
    val rows = Checkpoint.variable(session, operator, batch, name).load(path)
    rows.select(rows.schema.collect { case StructField(column, fields: StructType, _, _) =>
      col(column).getField(fields.head.name).as(column)
    }: _*)
  }
}

private[spark] object StoredOperator {
  private[query] val encoder: Encoder[StoredValue] = Encoders.product

  /** One whose shards are in memory.
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

  /** What stands in the place of a path. */
  val InMemory = "memory"
}

/** What is known of an operator before its query goes on.
  *
  * @param timeMode
  *   of Spark's `transformWithState`
  * @param header
  *   of a shard; None: no shard has kept anything yet, as of an operator behind another one that has given it nothing
  */
private[spark] final class CheckpointedOperator(val timeMode: String, header: Option[Array[Byte]]) {

  /** What it was begun with, in words; None: with whatever goes on now.
    *
    * @throws CheckpointError
    *   if it is not as it was written, or in a format that this version does not know
    */
  def fingerprint: Option[Seq[String]] =
    try header.map(SpecFingerprint.of)
    catch { case damaged: DamagedStateError => throw new CheckpointError(damaged.getMessage) }
}

private[spark] object Checkpoint {
  private val mapper = new ObjectMapper()

  /** The windrow operator of a query, as its last batch has committed it.
    *
    * @param named
    *   which, by the name of its stream or its number; None: the only one
    */
  private[query] def operator(
      session: SparkSession,
      path: String,
      named: Option[String],
      whole: Boolean): StoredState = {
    val folder = new Path(path)
    val files  = folder.getFileSystem(session.sparkContext.hadoopConfiguration)
    if (!files.exists(new Path(folder, "offsets")))
      throw new CheckpointError(ErrorConditions.message("CHECKPOINT_NOT_FOUND", "path" -> path))
    readable(session, path)
    val commits = new Path(folder, "commits")
    if (!files.exists(commits) || !files.listStatus(commits).exists(_.getPath.getName.forall(_.isDigit)))
      throw new CheckpointError(ErrorConditions.message("CHECKPOINT_EMPTY", "path" -> path))
    val found = if (files.exists(new Path(folder, "state"))) operators(session, path) else Nil
    if (found.isEmpty)
      throw new CheckpointError(ErrorConditions.message("NO_WINDROW_STATE", "path" -> path))
    chosen(found, path, named, whole)
  }

  /** Values of windrow's whose own checksum is wrong, as the last committed batch left them: which, and why.
    *
    * @throws CheckpointError
    *   if Spark cannot read its state
    */
  def wrongValues(session: SparkSession, path: String): Seq[String] = {
    readable(session, path)
    val rows = Reading(path)(session.read.format("state-metadata").load(path).collect())
    rows.toSeq.filter(variablesOf(_).exists(_._1 == "header")).flatMap { row =>
      val stored = storedBy(session, path, row)
      Reading(path)(stored.values(None, _ => true).flatMap(StoredValue.wrong(_))(Encoders.STRING).collect())
    }
  }

  private[query] def chosen(
      found: Seq[(Long, StoredOperator)],
      path: String,
      named: Option[String],
      whole: Boolean = false): StoredState = {
    val all = found.flatMap { case (number, one) => one.streams.map(number -> StoredState(one, _)) }
    val fitting = named.fold(all)(name =>
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

  private def shown(operator: StoredOperator): String = operator.streams.map(stream => s"'${stream.name}'") match {
    case Seq(one) => one
    case several  => several.mkString("a join of ", " and ", "")
  }

  /** Its query has planned a batch. */
  def isBegun(session: SparkSession, path: String): Boolean = {
    val offsets = new Path(path, "offsets")
    val files   = offsets.getFileSystem(session.sparkContext.hadoopConfiguration)
    files.exists(offsets) && files.listStatus(offsets).exists(_.getPath.getName.forall(_.isDigit))
  }

  /** Windrow operators as the last committed batch left them; none where no batch was. */
  def begun(session: SparkSession, path: String): Seq[CheckpointedOperator] = {
    val files = new Path(path).getFileSystem(session.sparkContext.hadoopConfiguration)
    if (!Seq("offsets", "commits", "state").forall(name => files.exists(new Path(path, name)))) Nil
    else {
      readable(session, path)
      session.read.format("state-metadata").load(path).collect().toSeq.flatMap { row =>
        val header = variable(session, row.getAs[Long]("operatorId"), row.getAs[Long]("maxBatchId"), "header")
        Option.when(variablesOf(row).map(_._1).contains("header"))(new CheckpointedOperator(
          timeModeOf(row),
          header.load(path).select("value.*").take(1).headOption.map(_.getAs[Array[Byte]](0))))
      }
    }
  }

  /** A setting of Spark's that a query keeps from its first batch on, whatever the session says later. */
  def begunWith(session: SparkSession, path: String, setting: String): Option[String] = {
    val offsets = new Path(path, "offsets")
    val files   = offsets.getFileSystem(session.sparkContext.hadoopConfiguration)
    for {
      batch <- Option.when(files.exists(offsets))(files.listStatus(offsets).toSeq.map(_.getPath)).getOrElse(Nil)
        .filter(_.getName.forall(_.isDigit)).maxByOption(_.getName.toLong)
      text <- Using(files.open(batch))(in => new String(in.readAllBytes, UTF_8)).toOption
      conf <-
        text.linesIterator.flatMap(line => Try(mapper.readTree(line)).toOption).map(_.path("conf")).find(_.isObject)
      said <- Option(conf.get(setting))
    } yield said.asText
  }

  /** Spark's reader of a variable of an operator, as a batch left it. Before Spark 4.3 it needs what the manager of streaming
    * queries sets up for all of the application, which no query may have asked for yet.
    */
  private[query] def variable(session: SparkSession, operator: Long, batch: Long, name: String): DataFrameReader = {
    session.streams: Unit
    session.read.format("statestore")
      .option("operatorId", operator).option("batchId", batch).option("stateVarName", name)
  }

  private def operators(session: SparkSession, path: String): Seq[(Long, StoredOperator)] = {
    val rows = Reading(path)(session.read.format("state-metadata").load(path).collect())
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

  /** Name and type of each; only `transformWithState` has any. */
  private def variablesOf(row: Row): Seq[(String, String)] =
    Option(row.getAs[String]("operatorProperties")).filter(_.nonEmpty).toSeq.flatMap(properties =>
      mapper.readTree(properties).path("stateVariables").elements.asScala
        .map(one => one.path("stateName").asText -> one.path("stateVariableType").asText))

  /** Spark's reader of state takes the path for one that is written as in a URI, and so looks elsewhere. */
  private def readable(session: SparkSession, path: String): Unit = {
    val folder = new Path(path)
    val whole  = folder.getFileSystem(session.sparkContext.hadoopConfiguration).makeQualified(folder).toUri
    if (whole.getRawPath != whole.getPath)
      throw new CheckpointError(
        ErrorConditions.message("CHECKPOINT_PATH_NOT_READABLE", "path" -> whole.getPath))
  }
}
