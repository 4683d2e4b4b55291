package windrow.benchmarks

import org.scalatest.funsuite.AnyFunSuite
import windrow.benchmarks.queries.EventFiles

/** Checks the parts of the benchmarks that need no Spark: the consistency of the workloads, and the evaluation of
  * figures.
  */
final class BenchSuite extends AnyFunSuite {

  test("workloads have names of their own, whole batches, and marks of those who take part") {
    assert(Workload.all.map(_.name).distinct.size == Workload.all.size)
    Workload.all.foreach { workload =>
      Seq(workload.amount, workload.check).foreach { amount =>
        assert(amount.events % amount.batch == 0 && amount.batch % EventFiles.PerBatch == 0, workload.name)
      }
      assert(workload.question.tables.forall(workload.source.tables.map(_.name).contains), workload.name)
      assert(marked(workload).forall(workload.contenders.contains), workload.name)
      val inFlink = workload.contenders.exists(_.isInstanceOf[InFlink])
      assert(!inFlink || workload.question.flink.nonEmpty, workload.name)
    }
  }

  private def marked(workload: Workload): Seq[Contender] = workload.marks.flatMap {
    case Mark.Ratio(of, to, _, _)    => Seq(of, to)
    case Mark.FurtherPane(of, to, _) => Seq(of, to)
    case Mark.Latency(of, to, _)     => Seq(of, to)
    case Mark.Micros(of, _)          => Seq(of)
    case Mark.Flat(of, family, _) =>
      assert(workload.size.exists(_.family == family))
      Seq(of)
  }

  test("a ratio is the median of those within each repeat, and both passes are judged") {
    val result = Result(
      "tumble-1k",
      runs = Seq(
        timed(Windrow, Timed.Fresh, 1, 2),
        timed(SparkOwn, Timed.Fresh, 1, 4),
        timed(Windrow, Timed.Fresh, 2, 9),
        timed(SparkOwn, Timed.Fresh, 2, 10),
        timed(Windrow, Timed.Fresh, 3, 6),
        timed(SparkOwn, Timed.Fresh, 3, 10),
        timed(Windrow, Timed.Warm, 1, 1),
        timed(SparkOwn, Timed.Warm, 1, 10)))
    val Some(toSpark) = Verdict.of(found(result)).find(_.what == "windrow to spark"): @unchecked
    assert(toSpark.fresh.toString == "0.60 (0.50 to 0.90)")
    assert(toSpark.warm.toString == "0.10")
    assert(toSpark.judged == Seq(0.6, 0.1))
    assert(toSpark.met.contains(true))
  }

  test("only warm runs are judged against Flink, and a workload that was not run is not judged") {
    val result = Result(
      "tumble-1k",
      runs = Seq(
        timed(Windrow, Timed.Fresh, 1, 9),
        timed(Contender.FlinkHeap, Timed.Fresh, 1, 1),
        timed(Windrow, Timed.Warm, 1, 3),
        timed(Contender.FlinkHeap, Timed.Warm, 1, 2)))
    val verdicts = Verdict.of(found(result))
    assert(verdicts.map(one => (one.what, one.met)) == Seq(("windrow to flink-heap", Some(false))))
  }

  test("the cost of a further pane is the cost above the panes on time, divided by their number") {
    val result = Result(
      "panes-tumble-1k",
      runs = Seq(
        timed(Windrow, Timed.Warm, 1, cpu = 2, rows = 100),
        timed(Contender.Early, Timed.Warm, 1, cpu = 5, rows = 200)))
    assert(Verdict.of(found(result)).map(_.warm.median) == Seq(1.5))
  }

  test("flat is the dearest to the cheapest of a family") {
    val family  = Seq("slide-10" -> 2.0, "slide-100" -> 4.0, "slide-1000" -> 3.0)
    val results = family.map { case (name, cpu) => Result(name, runs = Seq(timed(Windrow, Timed.Warm, 1, cpu))) }
    val flat    = Verdict.of(found(results: _*)).filter(_.what.contains("dearest"))
    assert(flat.map(_.warm.median) == Seq(2.0, 2.0, 2.0))
    assert(flat.forall(_.met.contains(false)))
  }

  test("findings come back from JSON, and are compared by ratios alone") {
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
    assert(Comparison.of(before, run(2)).linesIterator.toSeq.last ==
      "| tumble-1k | windrow to spark | – | – | 0.50 | 0.20 | 0.60 |")
  }

  test("a repeated workload replaces its earlier figures, and others stay") {
    def result(name: String, made: String) = Result(name, made, 8, 2, Seq(timed(Windrow, Timed.Warm, 1, 1)))
    val before                             = found(result("tumble-1k", "then"), result("session-1k", "then"))
    val after                              = before.and(result("tumble-1k", "now")).and(result("hop-60-10-1k", "now"))
    assert(after.results.map(one => one.workload -> one.made) ==
      Seq("tumble-1k" -> "now", "hop-60-10-1k" -> "now", "session-1k" -> "then"))
    val report = Report.of(after)
    assert(report.contains("* now: tumble-1k, hop-60-10-1k") && report.contains("* then: session-1k"))
  }

  test("an unequal result is reported and has no figures") {
    val report = Report.of(found(Result("tumble-1k", error = Some("windrow gives 1, not 2"))))
    assert(report.contains("* `tumble-1k`: windrow gives 1, not 2"))
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
    assert(Arguments.parse(Nil).map(_.workloads) == Right(Workload.marked))
    assert(Arguments.parse(List("--growth")).map(_.workloads) == Right(Growth.all))
    assert(Arguments.parse(List("--workload", "no")).left.map(_.contains("'no'")) == Left(true))
    assert(Arguments.parse(List("--batch", "7")).isLeft)
    assert(Arguments.parse(List("--events", "1000000", "--batch", "500000", "--workload", "tumble-1k")).isLeft)
  }

  private def found(results: Result*) = Findings(results)

  private def timed(contender: Contender, pass: String, repeat: Int, cpu: Double, rows: Long = 1) =
    Timed(contender.name, pass, repeat, Measured(cpu, 1, Digest(rows, 0, 0), 0, 0, 0))
}
