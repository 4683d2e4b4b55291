package windrow.spark.verify

import java.io.{DataInputStream, EOFException, IOException, InputStream, UTFDataFormatException}
import org.apache.spark.sql.windrow.SparkInside
import scala.util.control.NonFatal

/** Verifies a file with the changes of a state, or with all of it, as Spark's state store provider writes it:
  * compressed records that end with a marker. Versions 2 and 4 state the kind of each record, versions 1 and 3 derive
  * it from lengths. Versions 3 and 4 start with the names of the preceding files.
  */
private[verify] object ChangelogFile {
  private val EndOfLengths = -1
  private val End          = 0x00
  private val Put          = 0x01
  private val Delete       = 0x10
  private val Merge        = 0x11
  private val Longest      = 1 << 30

  /** Reads the file to its end. Returns the reason if that fails. */
  def wrong(open: () => InputStream, codec: String): Option[String] =
    try {
      val form = opened(open, codec)(version)
      opened(open, codec) { in =>
        if (form > 1) in.readUTF()
        if (form > 2) in.readUTF()
        if (form % 2 == 0) withKinds(in) else lengths(in)
        Option.when(in.read() >= 0)("it contains data after its end")
      }
    } catch {
      case _: EOFException     => Some("it is truncated")
      case _: OutOfMemoryError => Some("a part of it claims to be longer than the memory")
      case NonFatal(wrong)     => Some(s"it cannot be read: ${wrong.getMessage}")
    }

  private def opened[T](open: () => InputStream, codec: String)(use: DataInputStream => T): T = {
    val file = open()
    try use(new DataInputStream(SparkInside.decompressed(codec, file)))
    finally file.close()
  }

  /** Returns the version. Version 1 lacks a version field, so its first bytes may be anything. */
  private def version(in: DataInputStream): Int =
    try in.readUTF() match {
        case s"v$digit" if digit.matches("[2-4]") => digit.toInt
        case _                                    => 1
      }
    catch { case _: EOFException | _: UTFDataFormatException => 1 }

  private def withKinds(in: DataInputStream): Unit = {
    var kind = in.readUnsignedByte()
    while (kind != End) {
      kind match {
        case Put | Merge => skip(in, in.readInt()); skip(in, in.readInt())
        case Delete =>
          skip(in, in.readInt())
          if (in.readInt() != -1) throw new IOException("a deletion has a value")
        case other => throw new IOException(s"records of kind $other do not exist")
      }
      kind = in.readUnsignedByte()
    }
  }

  private def lengths(in: DataInputStream): Unit = {
    var key = in.readInt()
    while (key != EndOfLengths) {
      skip(in, key)
      val value = in.readInt()
      if (value >= 0) skip(in, value)
      key = in.readInt()
    }
  }

  private def skip(in: DataInputStream, length: Int): Unit = {
    if (length < 0 || length > Longest) throw new IOException(s"a record of $length bytes")
    in.skipNBytes(length.toLong)
  }
}
