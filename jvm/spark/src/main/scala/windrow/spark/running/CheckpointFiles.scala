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
    if (path.getFileSystem(conf).isInstanceOf[LocalFileSystem] && isHadoops) new LocalFiles(path, conf)
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

  def open(path: Path): FSDataInputStream                     = files.open(path)
  def list(path: Path, filter: PathFilter): Array[FileStatus] = files.list(path, filter)
  def mkdirs(path: Path): Unit                                = files.mkdirs(path)
  def exists(path: Path): Boolean                             = files.exists(path)
  def delete(path: Path): Unit                                = files.delete(path)
  def isLocal: Boolean                                        = files.isLocal
  def createCheckpointDirectory(): Path                       = files.createCheckpointDirectory()
  override def close(): Unit                                  = files.close()
}

private object CheckpointFiles {
  private val Hadoops = "org.apache.hadoop.fs.local.LocalFs"
}

private final class LocalFiles(path: Path, conf: Configuration)
    extends FileSystemBasedCheckpointFileManager(path, conf) {

  override protected val fs: FileSystem = {
    val (disk, hadoops) = (new LocalDisk, path.getFileSystem(conf))
    disk.initialize(hadoops.getUri, conf)
    disk.setWorkingDirectory(hadoops.getWorkingDirectory) // other components resolve a relative path in the same way
    disk
  }
}
