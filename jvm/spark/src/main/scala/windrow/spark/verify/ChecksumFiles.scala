package windrow.spark.verify

import com.fasterxml.jackson.databind.JsonNode
import java.io.InputStream
import java.util.zip.{CRC32, CRC32C, Checksum}

/** Verifies checksum files: `.name.crc` of Hadoop on local disks, `name.crc` of Spark elsewhere. */
private[verify] object ChecksumFiles {
  private val End   = ".crc"
  private val Magic = 0x63726300 // "crc" and a zero

  /** Returns the file to which a checksum file belongs. */
  def of(side: FileEntry): Option[String] =
    if (!side.base.endsWith(End)) None
    else if (side.base.startsWith(".")) Some(side.folder + side.base.drop(1).dropRight(End.length))
    else Some(side.name.dropRight(End.length))

  /** Returns the checksum files of a file. */
  def beside(folder: Folder, seen: FileEntry): Seq[FileEntry] =
    Seq(s"${seen.folder}.${seen.base}$End", s"${seen.name}$End").flatMap(folder.get)

  /** Returns the reason why a file does not match its checksums. */
  def wrong(folder: Folder, seen: FileEntry, side: FileEntry): Option[String] =
    if (side.base.startsWith(".")) ofHadoop(folder, seen, side) else ofSpark(folder, seen, side)

  /** Verifies Hadoop's checksums: a magic number, the number of bytes per checksum, and the checksums. Hadoop allocates
    * that number of bytes before it verifies any, and the single checksum of a small file matches for any number, so
    * the number is checked first.
    */
  private def ofHadoop(folder: Folder, seen: FileEntry, side: FileEntry): Option[String] = {
    val bytes = folder.read(side)(_.readAllBytes())
    val sums  = java.nio.ByteBuffer.wrap(bytes)
    if (bytes.length < 8 || sums.getInt() != Magic) Some(s"'${side.name}' does not contain checksums")
    else {
      val part = sums.getInt()
      if (Integer.bitCount(
          part) != 1 || part < 0 || part > Buffer || (seen.size + part - 1) / part * 4 != bytes.length - 8)
        Some(s"'${side.name}' contains checksums for another length than its ${seen.size} bytes")
      else folder.read(seen)(mismatch(_, part, sums)).map(at =>
        s"it differs from its checksum in '${side.name}' after byte $at")
    }
  }

  private def mismatch(in: InputStream, part: Int, sums: java.nio.ByteBuffer): Option[Long] = {
    val buffer = new Array[Byte](Buffer)
    val crc    = new CRC32
    var at     = 0L
    var read   = in.readNBytes(buffer, 0, buffer.length)
    while (read > 0) {
      var from = 0
      while (from < read) {
        val length = math.min(part, read - from)
        crc.reset()
        crc.update(buffer, from, length)
        if (!sums.hasRemaining || sums.getInt() != crc.getValue.toInt) return Some(at + from)
        from += length
      }
      at += read
      read = in.readNBytes(buffer, 0, buffer.length)
    }
    Option.when(sums.hasRemaining)(at)
  }

  /** Verifies Spark's checksum, `{"algorithm":"CRC32C","value":…,"mainFileSize":…}`. */
  private def ofSpark(folder: Folder, seen: FileEntry, side: FileEntry): Option[String] = {
    val content = StrictJson.read(folder.read(side)(_.readAllBytes())).filter(node =>
      node.path("value").isInt && node.path("mainFileSize").isIntegralNumber && node.path(
        "algorithm").asText == "CRC32C")
    content match {
      case None => Some(s"'${side.name}' does not contain a checksum")
      case Some(node: JsonNode) =>
        val size  = node.path("mainFileSize").asLong
        val value = node.path("value").asInt
        Option.when(seen.size != size || folder.read(seen)(whole(_, new CRC32C)) != value)(
          s"it differs from its checksum in '${side.name}'")
    }
  }

  private def whole(in: InputStream, sum: Checksum): Int = {
    val buffer = new Array[Byte](Buffer)
    var read   = in.read(buffer)
    while (read >= 0) {
      sum.update(buffer, 0, read)
      read = in.read(buffer)
    }
    sum.getValue.toInt
  }

  private val Buffer = 1 << 18
}
