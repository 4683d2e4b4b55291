package windrow.spark.running

import java.nio.file.Files
import java.nio.file.attribute.{PosixFileAttributeView, PosixFilePermissions}
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.fs.{LocalFileSystem, Path, RawLocalFileSystem}

/** Hadoop's local file system with checksums. Sets permissions with Java instead of starting a process. */
private[running] final class LocalDisk extends LocalFileSystem(new LocalDisk.Raw)

private object LocalDisk {
  final class Raw extends RawLocalFileSystem {
    override def setPermission(path: Path, permission: FsPermission): Unit = {
      val view = Files.getFileAttributeView(pathToFile(path).toPath, classOf[PosixFileAttributeView])
      if (view == null || permission.getStickyBit) super.setPermission(path, permission)
      else view.setPermissions(PosixFilePermissions.fromString(permission.toString))
    }
  }
}
