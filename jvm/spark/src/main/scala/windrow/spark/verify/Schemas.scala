package windrow.spark.verify

import java.io.{ByteArrayInputStream, DataInputStream, EOFException, UTFDataFormatException}

/** Parses the schemas of an operator's state, which Spark writes as JSON texts, long ones in pieces. Version 3 contains
  * the schemas of several column families, each with its name, version 2 those of one.
  */
private[verify] object Schemas {
  private val Most = 1 << 16

  def read(bytes: Array[Byte]): Either[String, Unit] = {
    val in = new DataInputStream(new ByteArrayInputStream(bytes))
    try in.readUTF() match {
        case "v3" =>
          val families = in.readInt()
          ended(in, (1 to fitting(families)).forall(_ => family(in)))
        case "v2" => ended(in, json(in) && json(in))
        case "v1" => ended(in, StrictJson.read(in.readUTF()).isDefined && StrictJson.read(in.readUTF()).isDefined)
        case _    => Left("it does not start with its version")
      }
    catch {
      case _: EOFException           => Left("it is truncated")
      case _: UTFDataFormatException => Left("it is not text")
    }
  }

  private def ended(in: DataInputStream, isJson: Boolean): Either[String, Unit] =
    Either.cond(isJson && in.read() < 0, (), "one of its schemas is not JSON")

  /** Parses the schemas of one column family: key, value, key encoder, and the key of a map. */
  private def family(in: DataInputStream): Boolean = {
    in.readUTF()
    in.readShort()
    val key = json(in)
    in.readShort()
    key && json(in) && json(in) && json(in)
  }

  private def json(in: DataInputStream): Boolean =
    StrictJson.read((1 to fitting(in.readInt())).map(_ => in.readUTF()).mkString).isDefined

  private def fitting(number: Int): Int =
    if (number < 0 || number > Most) throw new EOFException else number
}
