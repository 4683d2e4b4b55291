package windrow.spark.watermark

import java.util
import org.apache.spark.unsafe.types.UTF8String
import org.apache.spark.util.CollectionAccumulator
import org.scalatest.funsuite.AnyFunSuite
import scala.jdk.CollectionConverters._
import windrow.SpecError

/** Tests that a task keeps the greatest time of each partition, also if rows share memory. */
class TaskPartitionsSpec extends AnyFunSuite {
  private def found(rows: Iterator[(UTF8String, Long)]): Seq[(Option[String], Long)] = {
    val to   = new CollectionAccumulator[util.Map.Entry[String, java.lang.Long]]
    val seen = new TaskPartitions(to)
    rows.foreach { case (partition, millis) => seen.see(partition, millis) }
    seen.end()
    to.value.asScala.toSeq.map(entry => Option(entry.getKey) -> entry.getValue.longValue)
  }

  test("each partition has its greatest time, and null is one of them") {
    val rows = Seq[(Option[String], Long)](
      Some("a") -> 3L,
      Some("b") -> 9L,
      Some("a") -> 2L,
      None      -> -5L,
      Some("a") -> 4L,
      None      -> -6L,
      Some("b") -> 1L)
    val read = found(rows.iterator.map { case (name, millis) =>
      name.fold[UTF8String](null)(UTF8String.fromString) -> millis
    })
    assert(read.toMap == Map(Some("a") -> 4L, Some("b") -> 9L, None -> -5L) && read.size == 3)
    assert(found(Iterator.empty).isEmpty)
  }

  test("SEMANTICS R107: bytes that are no text are different partitions") {
    val ids = Seq(200, 201).map(id => UTF8String.fromBytes(Array[Byte](0, 0, 0, id.toByte)))
    assert(found(Iterator(ids.head -> 1000L, ids(1) -> 100L)).map(_._2).toSet == Set(1000L, 100L))
    assert(found(Iterator(ids.head -> 1000L, ids(1) -> 100L)).map(_._1).distinct.size == 2)
  }

  test("rows that share memory are different partitions") {
    val memory = Array[Byte]('x')
    val rows = "abba".iterator.zipWithIndex.map { case (name, i) =>
      memory(0) = name.toByte
      UTF8String.fromBytes(memory) -> i.toLong
    }
    assert(found(rows).toMap == Map(Some("a") -> 3L, Some("b") -> 2L))
  }

  test("too many partitions are refused") {
    def rows(count: Int) = Iterator.tabulate(count)(i => UTF8String.fromString(i.toString) -> 0L)
    assert(found(rows(EventWatermark.Most)).size == EventWatermark.Most)
    val refused = intercept[SpecError](found(rows(EventWatermark.Most + 1)))
    assert(refused.problems.map(_.code) == Seq("WATERMARK_PARTITIONS_COUNT"))
  }
}
