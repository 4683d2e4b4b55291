package windrow.spark.running

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FSDataInputStream, FileStatus, FileSystem, LocalFileSystem, Path, PathFilter}
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager.CancellableFSDataOutputStream
import org.apache.spark.sql.execution.streaming.checkpointing.{
  CheckpointFileManager, FileSystemBasedCheckpointFileManager
}

/** Writes checkpoint files as Spark does, but without starting processes on a local disk. If Hadoop lacks its native
  * library, Spark's own implementation starts about fifty in a micro-batch, `chmod` and `readlink`. Other file systems
  * use Spark's own implementation. So does a local disk for which the user has set another class, because that class
  * may do more.
  *
  * Spark creates this class by its name, with these arguments.
  */
final class CheckpointFiles(path: Path, conf: Configuration) extends CheckpointFileManager {
  private val files: CheckpointFileManager =
    if (path.getFileSystem(conf).isInstanceOf[LocalFileSystem] && isHadoops) new OnLocalDisk(path, conf)
    else {
      val others = new Configuration(conf)
      others.unset(CheckpointSetting.Name)
      CheckpointFileManager.create(path, others)
    }

  /** Whether both settings name Hadoop's own class. Spark writes checkpoints with the first one and other files with
    * the second one.
    */
  private def isHadoops: Boolean =
    conf.get("fs.AbstractFileSystem.file.impl", CheckpointFiles.Hadoops) == CheckpointFiles.Hadoops &&
      conf.getClass("fs.file.impl", classOf[LocalFileSystem]) == classOf[LocalFileSystem]

  def createAtomic(path: Path, overwriteIfPossible: Boolean): CancellableFSDataOutputStream =
    files.createAtomic(path, overwriteIfPossible)

  /** Returns the files of a folder without those that a killed process did not finish. Spark refuses to start a query
    * again if the process ended while it wrote the first plan, because the folder of the plans is not empty.
    */
  def list(path: Path, filter: PathFilter): Array[FileStatus] =
    files.list(path, (file: Path) => !CheckpointFiles.isUnfinished(file) && filter.accept(file))

  def open(path: Path): FSDataInputStream = files.open(path)
  def mkdirs(path: Path): Unit            = files.mkdirs(path)
  def exists(path: Path): Boolean         = files.exists(path)
  def delete(path: Path): Unit            = files.delete(path)
  def isLocal: Boolean                    = files.isLocal
  def createCheckpointDirectory(): Path   = files.createCheckpointDirectory()
  override def close(): Unit              = files.close()
}

private object CheckpointFiles {
  private val Hadoops = "org.apache.hadoop.fs.local.LocalFs"

  /** Spark writes the file `0` as `.0.<UUID>.tmp` and then renames it. */
  private val Unfinished = raw"\..+\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp".r

  private def isUnfinished(file: Path): Boolean = Unfinished.matches(file.getName)
}

private final class OnLocalDisk(path: Path, conf: Configuration)
    extends FileSystemBasedCheckpointFileManager(path, conf) {

  override protected val fs: FileSystem = {
    val (disk, hadoops) = (new LocalDisk, path.getFileSystem(conf))
    disk.initialize(hadoops.getUri, conf)
    disk.setWorkingDirectory(hadoops.getWorkingDirectory) // other components resolve a relative path in the same way
    disk
  }
}
