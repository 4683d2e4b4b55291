package windrow.spark.query

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import java.nio.charset.StandardCharsets.UTF_8
import org.apache.hadoop.fs.{FileSystem, Path}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.windrow.SparkInside
import scala.jdk.CollectionConverters._
import scala.util.{Try, Using}
import windrow.core.dedup.DedupShard
import windrow.spark.shards.OperatorDescriptor

/** The operators whose state a checkpoint contains.
  *
  * @param all
  *   their number
  * @param ofWindrow
  *   the number of those that Windrow wrote
  */
private[spark] final case class StoredOperators(all: Int, ofWindrow: Int)

private[spark] object StoredOperators {
  private val mapper = new ObjectMapper()

  /** Reads the metadata of the operators' state. */
  def of(session: SparkSession, checkpoint: String): StoredOperators = {
    val state = new Path(checkpoint, "state")
    val files = state.getFileSystem(SparkInside.hadoop(session))
    val operators =
      if (!files.exists(state)) Nil
      else files.listStatus(state).toSeq.map(_.getPath).filter(_.getName.forall(_.isDigit))
    StoredOperators(operators.size, operators.count(isOfWindrow(files, _)))
  }

  /** Returns the names of Windrow's streams in the last committed micro-batch; none before the first one, and if Spark's
    * state reader does not support the path.
    */
  def names(session: SparkSession, checkpoint: String): Set[String] =
    Try(Checkpoint.operators(session, checkpoint).flatMap(_._2.streams.map(_.name)).toSet).getOrElse(Set.empty)

  /** Whether `transformWithState` of Windrow wrote an operator, by the names of its variables. */
  private def isOfWindrow(files: FileSystem, operator: Path): Boolean =
    metadata(files, new Path(operator, "_metadata")).exists { json =>
      val properties = Try(mapper.readTree(json.path("operatorPropertiesJson").asText)).toOption
      val variables =
        properties.toSeq.flatMap(_.path("stateVariables").elements.asScala.map(_.path("stateName").asText))
      variables.contains("header") && (OperatorDescriptor.Variable +: DedupShard.Spaces).exists(variables.contains)
    }

  /** Returns the newest description of an operator: a version on the first line, then JSON. */
  private def metadata(files: FileSystem, folder: Path): Option[JsonNode] = {
    val versioned = new Path(folder, "v2")
    val newest = Option.when(files.exists(versioned))(files.listStatus(versioned).toSeq.map(_.getPath))
      .getOrElse(Nil).filter(_.getName.forall(_.isDigit)).maxByOption(_.getName.toLong)
    newest.flatMap { file =>
      val text = Using.resource(files.open(file))(in => new String(in.readAllBytes, UTF_8))
      text.linesIterator.drop(1).nextOption().flatMap(line => Try(mapper.readTree(line)).toOption)
    }
  }
}
