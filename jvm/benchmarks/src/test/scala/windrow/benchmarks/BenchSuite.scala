package windrow.benchmarks

import org.scalatest.funsuite.AnyFunSuite
import windrow.benchmarks.queries.EventFiles

/** Checks the parts of the benchmarks that need no Spark: the consistency of the workloads, their results, and the
  * arguments.
  */
final class BenchSuite extends AnyFunSuite {

  test("workloads have names of their own, and whole batches") {
    assert(Workload.all.map(_.name).distinct.size == Workload.all.size)
    Workload.all.foreach { workload =>
      Seq(workload.amount, workload.check).foreach { amount =>
        assert(amount.events % amount.batch == 0 && amount.batch % EventFiles.PerBatch == 0, workload.name)
      }
      assert(workload.question.tables.forall(workload.source.tables.map(_.name).contains), workload.name)
      val inFlink = workload.contenders.exists(_.isInstanceOf[InFlink])
      assert(!inFlink || workload.question.flink.nonEmpty, workload.name)
    }
  }

  test("findings come back from JSON") {
    def run(cpu: Double) = found(Result(
      "tumble-1k",
      "here",
      8,
      2,
      Seq(
        timed(Windrow, Timed.Warm, 1, cpu),
        timed(SparkOwn, Timed.Warm, 1, 10))))
    val before = Text.read[Findings](Text.pretty(run(5)))
    assert(before == run(5))
  }

  test("a repeated workload replaces its earlier figures, and others stay") {
    def result(name: String, made: String) = Result(name, made, 8, 2, Seq(timed(Windrow, Timed.Warm, 1, 1)))
    val before                             = found(result("tumble-1k", "then"), result("session-1k", "then"))
    val after                              = before.and(result("tumble-1k", "now")).and(result("hop-60-10-1k", "now"))
    assert(after.results.map(one => one.workload -> one.made) ==
      Seq("tumble-1k" -> "now", "hop-60-10-1k" -> "now", "session-1k" -> "then"))
  }

  test("a process is warm when it has worked long enough before a run, the fresh one included") {
    def last(fresh: Double, more: Double*) = {
      val ran = Iterator.from(0)
      Warmth.warm(fresh, () => ran.next())(more(_)) + 1
    }
    assert(last(60, 1) == 1)
    assert(last(59, 2, 1) == 2)
    assert(last(20, 10, 10, 10, 10, 10) == 5)
  }

  test("workloads that show growth differ in their size alone, and none is like another") {
    Growth.all.groupBy(_.size.get.family).foreach { case (family, some) =>
      assert(some.map(_.size.get.at) == some.map(_.size.get.at).distinct.sorted, family)
      assert(some.size > 2, family)
    }
  }

  test("arguments") {
    assert(Arguments.parse(List("--quick")).map(_.workloads) == Right(Workload.all.filter(_.quick)))
    assert(Arguments.parse(Nil).map(_.workloads) == Right(Workload.usual))
    assert(Arguments.parse(List("--growth")).map(_.workloads) == Right(Growth.all))
    assert(Arguments.parse(List("--workload", "no")).left.map(_.contains("'no'")) == Left(true))
    assert(Arguments.parse(List("--batch", "7")).isLeft)
    assert(Arguments.parse(List("--events", "1000000", "--batch", "500000", "--workload", "tumble-1k")).isLeft)
  }

  private def found(results: Result*) = Findings(results)

  private def timed(contender: Contender, pass: String, repeat: Int, cpu: Double) =
    Timed(contender.name, pass, repeat, Measured(cpu, 1, Digest(1, 0, 0), 0, 0, 0))
}
