package windrow.testkit.guide

import java.io.ByteArrayOutputStream
import java.nio.file.{Files, Paths}
import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tags.Slow
import windrow.core.aggregate.Aggregation
import windrow.core.grid.FixedGrid
import windrow.core.state.{ByteReader, ByteWriter}
import windrow.replay._
import windrow.testkit._

/** The code of docs/project/testkit.md. Each of its blocks is in this file, line by line, and runs. */
@Slow
class GuideSuite extends AnyFunSuite {
  import GuideSuite._

  private val engine = new CoreEngine

  test("an aggregate of one's own") {
    assert(printed {
      new AggregationLaws("product", Product, Gen.choose(-9L, 9L).map(Array(_)))(_ == _).check()
    }.contains("+ product.a copy is independent of its source: OK"))
  }

  test("a window of one's own") {
    assert(printed {
      new AlignedWindowLaws(
        "hops",
        new FixedGrid(size = 10, step = 4, 0),
        Gen.choose(-200L, 200L),
        period = Some(4)).check()
    }.contains("+ hops."))
  }

  test("an operator of one's own") {
    assert(printed {
      new OperatorLaws("sessions", engine, Gen.long.map(RandomCase(_, RandomFamily.Sessions))).check()
    }.contains("+ sessions."))
  }

  test("an engine next to the reference") {
    val transcript = RandomCase(seed = 7, RandomFamily.SlidingWindows)
    val expected   = ReferenceEngine.run(transcript).inPlaceOfExpected(transcript)
    assert(Comparison.differences(expected, engine.run(expected)).isEmpty)
  }

  test("the page shows this code") {
    val root =
      Iterator.iterate(Paths.get("").toAbsolutePath)(_.getParent).find(p => Files.exists(p.resolve("docs"))).get
    val own                    = "jvm/testkit/src/test/scala/windrow/testkit/guide/GuideSuite.scala"
    def squeezed(text: String) = text.replaceAll("\\s", "")
    val source                 = squeezed(Files.readString(root.resolve(own)))
    val page                   = Files.readString(root.resolve("docs/project/testkit.md"))
    val blocks                 = "(?s)```scala\n(.*?)```".r.findAllMatchIn(page).map(_.group(1)).toSeq
    assert(blocks.size == 4)
    for (line <- blocks.flatMap(_.linesIterator)) assert(source.contains(squeezed(line)), line)
  }

  /** Returns the output of ScalaCheck. A line that begins with `!` reports a law that does not hold. */
  private def printed(check: => Unit): String = {
    val out = new ByteArrayOutputStream
    Console.withOut(out)(check)
    val said = out.toString("UTF-8")
    assert(!said.linesIterator.exists(_.startsWith("!")), said)
    said
  }
}

private object GuideSuite {
  object Product extends Aggregation[Array[Long], Long] {
    def zero                                              = Array(1L)
    def combine(left: Array[Long], right: Array[Long])    = { left(0) *= right(0); left } // may change its left side
    def copy(buffer: Array[Long])                         = buffer.clone()
    def lower(buffer: Array[Long])                        = buffer(0)
    def write(buffer: Array[Long], out: ByteWriter): Unit = out.long(buffer(0))
    def read(in: ByteReader)                              = Array(in.long())
  }
}
