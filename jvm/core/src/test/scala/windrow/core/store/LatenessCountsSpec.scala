package windrow.core.store

import java.lang.management.ManagementFactory
import org.scalatest.funsuite.AnyFunSuite
import scala.util.Random
import windrow.advice.Advice
import windrow.core.state.{ByteReader, ByteWriter, Damage}
import windrow.core.time.Watermark
import windrow.core.window.LastEnd
import windrow.{Global, Session, TimeSpan, Tumbling}

/** Tests the counts of the lateness of messages (SEMANTICS S15). */
class LatenessCountsSpec extends AnyFunSuite {
  private val random = new Random(7)

  test("S15: a bucket's lateness takes all of its messages, and is hardly longer than they need") {
    val some = Seq(0L, 1L, 999L, 1000L, 31999L, 32000L, 32001L, 1L << 62) ++
      Seq.fill(10000)(random.nextLong() >>> (2 + random.nextInt(61)))
    some.foreach { micros =>
      val upTo = LatenessCounts.upTo(LatenessCounts.bucket(micros))
      assert(upTo > micros && upTo - micros <= 1000 + micros / 16, micros)
    }
    val ascending = some.sorted.map(LatenessCounts.bucket)
    assert(ascending == ascending.sorted)
  }

  test("S15: of a window without an end nothing is late, before 1970 neither") {
    Seq(-2L, -1L, 0L, 1L).foreach { watermark =>
      val counts = new LatenessCounts
      counts.see(place = -1000, count = 1, Watermark(watermark), LastEnd.of(Global))
      assert(counts.messages == 1 && counts.all.isEmpty, s"at $watermark")
    }
  }

  test("S15: a message in time makes no object, and none asks where a window ends") {
    val counts  = new LatenessCounts
    val threads = ManagementFactory.getThreadMXBean.asInstanceOf[com.sun.management.ThreadMXBean]
    val at      = Watermark(1000000000L)
    var asked   = 0
    val lastEnd = (place: Long) => { asked += 1; place }
    def see(): Unit = {
      var i = 0
      while (i < 100000) { counts.see(1000000001L + i, 1L, at, lastEnd); i += 1 }
    }
    see()
    val before = threads.getCurrentThreadAllocatedBytes
    see()
    assert(threads.getCurrentThreadAllocatedBytes - before < 100000 && asked == 0 && counts.messages == 200000)
  }

  test("S15: counts continue from the stored counts") {
    val (counts, all) = (new LatenessCounts, new LatenessCounts)
    var stored        = written(new LatenessCounts)
    (0 until 200).foreach { i =>
      val step = read(stored)
      val by   = random.nextInt(1 << random.nextInt(30)).toLong - 1000
      Seq(step, counts).foreach(_.see(1000000000L - by, i.toLong, Watermark(1000000000L), identity))
      stored = written(step)
    }
    all.add(read(stored))
    assert(all.all.toSeq == counts.all.toSeq)
    assert((all.messages, counts.messages) == ((19900L, 19900L)))
  }

  test("S15: rows in time, and rows after the end of the input, are counted separately") {
    val counts = new LatenessCounts
    counts.see(5, 1, Watermark.None, _ + 10)
    counts.see(5, 1, Watermark(14), _ + 10)
    counts.see(5, 1, Watermark.End, _ + 10)
    assert(counts.messages == 3 && counts.all.isEmpty)
    counts.see(5, 2, Watermark(15), _ + 10)
    assert(counts.all.toSeq == Seq(0 -> 2L))
  }

  test("S15: the least lateness that catches the share; corrections and state are estimated") {
    val counts = new LatenessCounts
    val minute = 60000000L
    counts.windows = 100
    (0 until 1000).foreach(i => counts.see(0, 1, Watermark(if (i < 990) 1 else minute * (i - 989)), _ + 1))
    val advice = Advice.of(Tumbling(TimeSpan(minute)), TimeSpan(0), counts, 0.995)
    assert(advice.advised.caught == 0.995)
    assert(math.abs(advice.advised.lateness.micros / minute.toDouble - 5) < 0.4)
    assert(advice.present.lateness.micros == 0 && advice.present.caught == 0.0)
    assert(math.abs(advice.advised.corrected.get - (1 - math.exp(-9.95))) < 1e-9)
    assert(advice.advised.growth == advice.advised.lateness.micros / minute.toDouble)
    assert(!Advice.knows(windrow.Count(3)) && Advice.knows(Session(TimeSpan(5))))
  }

  test(s"S1, S15: ${Damage.Count} changed counts are read, or refused by name") {
    val sound = new LatenessCounts
    (1 to 100).foreach(i => sound.see(1000000000L - (1L << i % 40), i.toLong, Watermark(1000000000L), identity))
    val bytes = LatenessCounts.encode(sound.all)
    val refused = Damage.refusedBytes("counts of lateness", bytes)(
      LatenessCounts.decode(_)((_, count) => assert(count > 0)))
    assert(refused > Damage.Count / 100)
  }

  private def written(counts: LatenessCounts): Array[Byte] = {
    val out = new ByteWriter
    counts.write(out)
    out.byte(7)
    out.result()
  }

  private def read(bytes: Array[Byte]): LatenessCounts = {
    val (in, counts) = (ByteReader(bytes), new LatenessCounts)
    counts.read(in)
    assert(in.byte() == 7 && !in.hasNext)
    counts
  }
}
