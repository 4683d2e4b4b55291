package windrow.spark.pack

import java.io.IOException
import java.util.Collections
import org.apache.hadoop.fs.{FileAlreadyExistsException, Path}
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl
import org.apache.hadoop.mapreduce.{Job, JobID, TaskAttemptContext, TaskAttemptID, TaskID, TaskType}
import org.apache.spark.TaskContext
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, UnsafeProjection}
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.datasources.{OutputWriter, OutputWriterFactory}
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.sql.windrow.SparkInside
import org.apache.spark.sql.windrow.SparkInside.MicroBatch
import org.apache.spark.util.SerializableConfiguration
import windrow.spark.rows.{RowPacket, Rows}

/** Files with the rejected rows of an operator in one micro-batch (SEMANTICS R155). A sink writes its files in a job of
  * its own, with which Spark commits them. These are written by the tasks of the query, whose own sink is another one: each
  * task writes a file with a temporary name and renames it at its end, before Spark commits the micro-batch.
  *
  * @param folder
  *   the folder of the micro-batch
  * @param isFirst
  *   whether the micro-batch is the first one of a run. It has a file even without rows, from which columns can be read.
  * @param create
  *   creates writers of Parquet
  */
private[pack] final class RejectedFiles private (
    folder: String,
    operator: String,
    isFirst: Boolean,
    rejected: RejectedRows,
    columns: StructType,
    create: OutputWriterFactory,
    settings: SerializableConfiguration)
    extends Serializable {

  /** Returns the packets of a partition. Writes their rejected rows while they are read, and completes the file at the
    * end. A task that ends earlier leaves no file.
    */
  def writing(partition: Int, packets: Iterator[InternalRow], column: Expression): Iterator[InternalRow] = {
    val task = new TaskFile(partition)
    TaskContext.get().addTaskCompletionListener[Unit](_ => task.discard())
    new Iterator[InternalRow] {
      def hasNext: Boolean = packets.hasNext || { task.complete(); false }

      def next(): InternalRow = {
        val row = packets.next()
        task.write(new RowPacket.Reader(Rows.binary(row, column), Map(rejected.kind -> rejected.rows.size)))
        row
      }
    }
  }

  private final class TaskFile(partition: Int) {
    private val name       = f"$operator-$partition%05d"
    private val whole      = new Path(folder, s"$name.parquet")
    private val begun      = new Path(folder, s"_$name-${TaskContext.get().taskAttemptId()}.parquet")
    private var writer     = Option.empty[OutputWriter]
    private var isComplete = false
    private lazy val files = whole.getFileSystem(settings.value)
    private lazy val shown = UnsafeProjection.create(rejected.columns.map(_.child), rejected.rows)

    def write(rows: RowPacket.Reader): Unit = while (rows.next()) open().write(shown(rows.row))

    private def open(): OutputWriter = writer.getOrElse {
      val made = create.newInstance(begun.toString, columns, RejectedFiles.attempt(partition, settings))
      writer = Some(made)
      made
    }

    def complete(): Unit = if (!isComplete) {
      if (isFirst && partition == 0) open(): Unit
      writer.foreach { all =>
        all.close()
        files.delete(whole, false) // of an earlier attempt in this micro-batch
        if (!isRenamed && !files.exists(whole)) throw new IOException(s"$begun could not be renamed to $whole")
      }
      isComplete = true
    }

    /** Another attempt of the task may have written the same file in the meantime. */
    private def isRenamed: Boolean =
      try files.rename(begun, whole)
      catch { case _: FileAlreadyExistsException => false }

    def discard(): Unit = if (!isComplete) writer.foreach { part =>
      try part.close()
      catch { case _: IOException => () } // the task has failed before
      finally files.delete(begun, false): Unit
    }
  }
}

private[pack] object RejectedFiles {

  /** Begins the files of a micro-batch, in the driver. Deletes those of an earlier attempt, whose rows may be other ones
    * if the query has changed.
    */
  def apply(session: SparkSession, folder: String, operator: String, rejected: RejectedRows): RejectedFiles = {
    val batch = SparkInside.microBatch(session).getOrElse(
      throw new IllegalStateException("rejected rows are written in a micro-batch only"))
    val columns = schema(rejected)
    val job     = Job.getInstance(SparkInside.hadoop(session))
    val create  = new ParquetFileFormat().prepareWrite(session, job, Map.empty, columns)
    val place   = new Path(new Path(folder, s"query=${batch.query}"), s"batch=${batch.number}")
    val isFirst = begin(place, batch, job)
    new RejectedFiles(
      place.toString,
      operator,
      isFirst,
      rejected,
      columns,
      create,
      new SerializableConfiguration(job.getConfiguration))
  }

  /** The columns of the files. */
  def schema(rejected: RejectedRows): StructType =
    SparkInside.nullable(StructType(rejected.columns.map(column => StructField(column.name, column.dataType))))

  private val MostQueries = 1000

  /** The newest micro-batch by the folder of its query, and whether it is the first one of its run. */
  private val batches = Collections.synchronizedMap(
    new java.util.LinkedHashMap[Path, (MicroBatch, Boolean)] {
      override def removeEldestEntry(eldest: java.util.Map.Entry[Path, (MicroBatch, Boolean)]): Boolean =
        size > MostQueries
    })

  private def begin(place: Path, batch: MicroBatch, job: Job): Boolean =
    Option(batches.get(place.getParent)) match {
      case Some((`batch`, isFirst)) => isFirst // another operator of the query
      case last =>
        val isFirst = !last.exists(_._1.run == batch.run)
        place.getFileSystem(job.getConfiguration).delete(place, true)
        batches.put(place.getParent, (batch, isFirst))
        isFirst
    }

  private def attempt(partition: Int, settings: SerializableConfiguration): TaskAttemptContext =
    new TaskAttemptContextImpl(
      settings.value,
      new TaskAttemptID(new TaskID(new JobID("windrow", 0), TaskType.MAP, partition), 0))
}
