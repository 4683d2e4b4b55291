package windrow.spark.input

import org.apache.spark.sql.catalyst.expressions.{AttributeReference, GreaterThan, Literal}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LocalRelation, LogicalPlan, Union}
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.windrow.FileBeingRead
import org.scalatest.funsuite.AnyFunSuite
import windrow.spark.input.MessagePlace.Row

/** Tests the reported place of a row that fails a query (SEMANTICS A7). */
final class MessagePlaceSpec extends AnyFunSuite {
  private val value = AttributeReference("value", LongType)()
  private val read  = LocalRelation(value)

  private def place(plan: LogicalPlan) = MessagePlace.of(plan, Nil)

  test("a row is of the file that is read, unless others come between") {
    assert(place(Filter(GreaterThan(value, Literal(3L)), read)) == MessagePlace.FileBeingRead)
    assert(place(Union(Seq(read, read))) == Row && place(Filter(Literal(true), Union(Seq(read, read)))) == Row)
  }

  test("rows are counted from 1, in each file and in each part of one that is split") {
    val rows = new RowCounter(3)
    def next(path: String, from: Long) = {
      FileBeingRead.set(path, from)
      rows.next()
      MessagePlace.text(MessagePlace.FileBeingRead, Nil, rows)
    }
    try {
      assert(Seq(next("a", 0), next("a", 0)) == Seq("file 'a' row 1", "file 'a' row 2"))
      assert(Seq(next("a", 99), next("b", 0)) == Seq("file 'a' row 1 from byte 99 on", "file 'b' row 1"))
    } finally FileBeingRead.unset()
    assert(MessagePlace.text(Row, Nil, rows) == "row 4 of partition 3")
    assert(MessagePlace.text(MessagePlace.File(Nil), Seq("c", 4L), rows) == "file 'c' row 5")
  }
}
