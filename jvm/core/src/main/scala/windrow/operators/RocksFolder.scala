package windrow.operators

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import org.rocksdb.{Options, RocksDB, RocksDBException, RocksIterator, WriteOptions}
import scala.util.Using
import windrow.ErrorConditions
import windrow.core.state.{ListedStore, Space}

/** The RocksDB store that [[RocksStore]] opens. It is a separate class so that `RocksStore` loads without RocksDB and
  * can report that it is missing.
  */
private[operators] final class RocksFolder(folder: Path) extends ListedStore with AutoCloseable {
  import RocksFolder._

  private val options = new Options().setCreateIfMissing(true)
  private val plain   = new WriteOptions
  private val synced  = new WriteOptions().setSync(true)
  private var opened  = Option(open())

  private def open(): RocksDB =
    try RocksDB.open(options, Files.createDirectories(folder).toString)
    catch {
      case error: RocksDBException =>
        throw new IllegalStateException(
          ErrorConditions.message("STORE_NOT_OPENED", "folder" -> folder, "why" -> error.getMessage),
          error)
    }

  private def db: RocksDB =
    opened.getOrElse(throw new IllegalStateException(ErrorConditions.message("STORE_CLOSED", "folder" -> folder)))

  def header: Array[Byte]                 = db.get(HeaderKey)
  def putHeader(bytes: Array[Byte]): Unit = db.put(plain, HeaderKey, bytes)

  def space(name: String): Space = {
    val prefix = name.getBytes(UTF_8)

    /** Only the journal is synced to disk before the next write, because it contains all other writes. */
    val writes        = if (name == "journal") synced else plain
    def key(id: Long) = ByteBuffer.allocate(prefix.length + 9).put(prefix).put(0.toByte).putLong(id).array
    new Space {
      def get(id: Long): Array[Byte]              = db.get(key(id))
      def put(id: Long, bytes: Array[Byte]): Unit = db.put(writes, key(id), bytes)
      def remove(id: Long): Unit                  = db.delete(plain, key(id))
    }
  }

  def entries: Iterator[(String, Long, Array[Byte])] = Using.resource(db.newIterator()) { at =>
    at.seekToFirst()
    Iterator.continually(at).takeWhile(_.isValid).map(entry).toVector.flatten
  }.iterator

  private def entry(at: RocksIterator): Option[(String, Long, Array[Byte])] = {
    val (key, value) = (at.key, at.value)
    at.next()
    Option.unless(java.util.Arrays.equals(key, HeaderKey)) {
      val name = new String(key, 0, key.length - 9, UTF_8)
      (name, ByteBuffer.wrap(key).getLong(key.length - 8), value)
    }
  }

  def close(): Unit = {
    opened.foreach(_.close())
    opened = None
    Seq(synced, plain, options).foreach(_.close())
  }
}

private object RocksFolder {

  /** The key of the header, which differs from all others because no space has an empty name. */
  private val HeaderKey = Array[Byte](0)
}
