package windrow.spark.pack

import org.scalatest.Assertions._
import scala.util.Random
import scala.util.control.NonFatal
import windrow.CheckpointError
import windrow.core.state.DamagedStateError

/** Bytes that are not what was written, for what decodes them (SEMANTICS S1). */
object OtherBytes {

  /** `-Dwindrow.damages=10000000` for so many. */
  val Count: Int = sys.props.get("windrow.damages").map(_.toInt).getOrElse(
    if (sys.props.get("windrow.mode").contains("full")) 1000000 else 3000)

  /** Cuts and changes sound bytes in random places; each time they are read, or refused by name.
    *
    * @param read
    *   all that stands in them
    */
  def refused(sound: Array[Byte], seed: Long = 7, count: Int = Count)(read: Array[Byte] => Any): Int = {
    val random = new Random(seed)
    read(sound)
    (1 to count).count { _ =>
      val changed = if (random.nextInt(8) == 0) sound.take(1 + random.nextInt(sound.length)) else sound.clone()
      (0 to random.nextInt(3)).foreach(_ => changed(random.nextInt(changed.length)) = random.nextInt().toByte)
      try {
        read(changed)
        false
      } catch {
        case _: DamagedStateError | _: CheckpointError => true
        case NonFatal(unnamed)                         => fail(s"${changed.mkString(" ")} ends with $unnamed", unnamed)
      }
    }
  }
}
