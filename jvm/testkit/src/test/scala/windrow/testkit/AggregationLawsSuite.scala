package windrow.testkit

import java.io.OutputStream
import org.scalacheck.rng.Seed
import org.scalacheck.{Gen, Test}
import org.scalatest.funsuite.AnyFunSuite
import windrow.core.aggregate.Aggregation
import windrow.core.state.{ByteReader, ByteWriter}
import windrow.replay._

/** Checks that the laws hold for the aggregates of transcripts, and that they detect aggregations that break them
  * (SEMANTICS E8).
  */
class AggregationLawsSuite extends AnyFunSuite {

  private val all = new TranscriptAggregation(ReferenceAggregates.Names.map(name => name -> name))

  private val messages: Gen[TranscriptBuffer] = for {
    time  <- Gen.choose(-5L, 5L)
    value <- Gen.choose(-1000L, 1000L)
  } yield all.lift(Message(Value.Null, Some(time), Scalar(value)))

  private val several: Gen[TranscriptBuffer] =
    Gen.choose(1, 4).flatMap(Gen.listOfN(_, messages)).map(_.reduce(all.combine(_, _)))

  private def isSame(a: Content, b: Content): Boolean = (a, b) match {
    case (Content.Values(a, None), Content.Values(b, None)) =>
      a.keySet == b.keySet && a.forall { case (name, value) => value.isSameAs(b(name)) }
    case _ => false
  }

  /** Returns the names of the laws that fail. Discards the output of ScalaCheck, which prints the seed of every failed
    * law, because the laws fail on purpose here.
    */
  private def broken[B, V](laws: AggregationLaws[B, V]): Seq[String] = Console.withOut(OutputStream.nullOutputStream) {
    laws.properties.toSeq.collect {
      case (name, law) if !Test.check(Test.Parameters.default.withInitialSeed(Seed(1)), law).passed =>
        name.split('.').last
    }
  }

  test("the aggregates of transcripts keep the laws") {
    assert(broken(new AggregationLaws("transcript", all, several)(isSame)) == Nil)
  }

  /** A sum in one cell, whose parts can be broken one at a time. */
  private class Sum extends Aggregation[Array[Long], Long] {
    def zero: Array[Long] = Array(0L)
    def combine(left: Array[Long], right: Array[Long]): Array[Long] = {
      left(0) += right(0)
      left
    }
    def copy(buffer: Array[Long]): Array[Long]            = buffer.clone()
    def lower(buffer: Array[Long]): Long                  = buffer(0)
    def write(buffer: Array[Long], out: ByteWriter): Unit = out.long(buffer(0))
    def read(in: ByteReader): Array[Long]                 = Array(in.long())
  }

  private val cells: Gen[Array[Long]] = Gen.choose(1L, 1000L).map(Array(_))

  private def brokenSum(sum: Sum): Seq[String] = broken(new AggregationLaws("sum", sum, cells)(_ == _))

  test("a right sum keeps the laws") {
    assert(brokenSum(new Sum) == Nil)
  }

  private val wrong: Seq[(String, Sum)] = Seq(
    "combine is associative" -> new Sum {
      override def combine(left: Array[Long], right: Array[Long]): Array[Long] = Array(left(0) - right(0))
    },
    "zero is the identity of combine" -> new Sum {
      override def zero: Array[Long] = Array(1L)
    },
    "zero stays the buffer of nothing" -> new Sum {
      override val zero: Array[Long] = Array(0L)
    },
    "combine leaves its right side alone" -> new Sum {
      override def combine(left: Array[Long], right: Array[Long]): Array[Long] = {
        right(0) += left(0)
        right
      }
    },
    "a copy is independent of its source" -> new Sum {
      override def copy(buffer: Array[Long]): Array[Long] = buffer
    },
    "lower leaves the buffer usable" -> new Sum {
      override def lower(buffer: Array[Long]): Long = {
        val result = buffer(0)
        buffer(0) = 0
        result
      }
    },
    "what is written is read back, one after the other" -> new Sum {
      override def write(buffer: Array[Long], out: ByteWriter): Unit = {
        out.long(buffer(0))
        out.byte(0)
      }
    })

  for ((law, sum) <- wrong) test(s"a sum is found that breaks: $law") {
    assert(brokenSum(sum).contains(law))
  }
}
