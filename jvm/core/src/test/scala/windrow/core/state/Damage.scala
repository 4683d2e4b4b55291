package windrow.core.state

import com.sun.management.ThreadMXBean
import java.lang.management.ManagementFactory
import java.nio.ByteBuffer
import java.util.Arrays
import scala.collection.mutable
import scala.util.Random
import scala.util.hashing.byteswap64
import windrow.{CheckpointError, GuardError}

/** Replaces stored values by damaged ones, for every reader of stored values (SEMANTICS S1). */
object Damage {

  /** The number of damages of each kind. Set `-Dwindrow.damages=10000000` for another number. */
  val Count: Int = count(quick = 300, plain = 1000, full = 1000000)

  /** The number for a case that costs more or less than a few microseconds. */
  def count(quick: Int, plain: Int, full: Int): Int =
    sys.props.get("windrow.damages").map(_.toInt).getOrElse(sys.props.getOrElse("windrow.mode", "default") match {
      case "quick" => quick
      case "full"  => full
      case _       => plain
    })

  /** Returns other bytes: fewer, more, with inverted bits, or with the greatest possible numbers. */
  def other(bytes: Array[Byte], random: Random): Array[Byte] = {
    val at = random.nextInt(bytes.length + 1)
    val out = random.nextInt(12) match {
      case 0 => bytes.take(at)
      case 1 => bytes.take(at) ++ random.nextBytes(1 + random.nextInt(9)) ++ bytes.drop(at)
      case 2 => bytes.take(at) ++ bytes.drop(at + 1 + random.nextInt(9))
      case 3 =>
        val large = bytes.clone()
        Arrays.fill(large, at, math.min(large.length, at + 1 + random.nextInt(9)), -1.toByte)
        large
      case _ =>
        val turned = bytes.clone()
        (0 to random.nextInt(3)).foreach(_ => if (turned.nonEmpty) turn(turned, random))
        turned
    }
    if (Arrays.equals(out, bytes)) other(bytes, random) else out
  }

  private def turn(bytes: Array[Byte], random: Random): Unit = {
    val at = random.nextInt(bytes.length)
    bytes(at) = random.nextInt(4) match {
      case 0 => -1
      case 1 => random.nextInt().toByte
      case _ => (bytes(at) ^ (1 << random.nextInt(8))).toByte
    }
  }

  /** Changes the content of a stored value, and gives it a checksum that matches. */
  def changed(value: Array[Byte], random: Random): Array[Byte] = resealed(other(contentOf(value), random))

  private[state] def contentOf(value: Array[Byte]): Array[Byte] = value.slice(1, value.length - 4)

  private[state] def resealed(content: Array[Byte]): Array[Byte] = {
    val out = new Array[Byte](content.length + ByteWriter.Frame)
    out(0) = ByteWriter.Version
    System.arraycopy(content, 0, out, 1, content.length)
    ByteBuffer.wrap(out).putInt(content.length + 1, ByteWriter.checksum(out, content.length + 1))
    out
  }

  /** The memory that one read may allocate in addition to that of a sound value: far less than the sizes that damage
    * can produce.
    */
  private val MostBytes = 16L << 20

  private val threads = ManagementFactory.getThreadMXBean.asInstanceOf[ThreadMXBean]

  private def taken(look: => Any): Long = {
    val before = threads.getCurrentThreadAllocatedBytes
    look: Unit
    threads.getCurrentThreadAllocatedBytes - before
  }

  /** Reads damaged values. Each must raise an error that names it, or be read without harm, and must not allocate more
    * memory than needed.
    *
    * @return
    *   the number of values that raised an error
    */
  def refused[S](what: String, sound: S, count: Int = Count)(change: Random => S)(read: S => Any): Int = {
    read(sound)
    val most    = taken(read(sound)) + MostBytes
    val wrong   = mutable.TreeMap.empty[String, String]
    var named   = 0
    var slowest = 0L
    (1 to count).foreach { seed =>
      val changed = change(new Random(byteswap64(seed.toLong))) // neighboring seeds start with the same numbers
      val start   = threads.getCurrentThreadCpuTime
      try {
        val bytes = taken(read(changed))
        if (bytes > most) wrong(s"$bytes bytes taken") = s"seed $seed"
      } catch {
        case _: DamagedStateError | _: CheckpointError | _: GuardError => named += 1
        case unnamed: Throwable =>
          val at = unnamed.getStackTrace.filter(_.getClassName.startsWith("windrow")).take(4).mkString(" < ")
          wrong(s"${unnamed.getClass.getSimpleName} at $at") = s"seed $seed: ${unnamed.getMessage}"
      }
      slowest = math.max(slowest, threads.getCurrentThreadCpuTime - start)
      assert(wrong.size < 20, told(what, wrong))
    }
    assert(wrong.isEmpty, told(what, wrong))
    if (sys.props.contains("windrow.damages"))
      println(s"$what: $count, refused $named, slowest ${slowest / 1000000} ms of CPU")
    named
  }

  /** Does the same for bytes without a checksum. */
  def refusedBytes(what: String, sound: Array[Byte], count: Int = Count)(read: Array[Byte] => Any): Int =
    refused(what, sound, count)(other(sound, _))(read)

  private def told(what: String, wrong: collection.Map[String, String]): String =
    wrong.mkString(s"$what:\n", "\n", "")
}
