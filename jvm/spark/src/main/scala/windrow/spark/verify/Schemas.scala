package windrow.spark.verify

import java.io.ByteArrayInputStream
import java.io.DataInputStream
import java.io.EOFException
import java.io.UTFDataFormatException

/** The schemas of an operator's state as Spark writes them: texts of JSON, long ones in pieces. Form 3 has those of several
  * families of columns, each with its name, form 2 those of one.
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

  /** Key, value, how keys are written, and the key of a map. */
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
