package windrow.spark.aggregate

import org.apache.spark.sql.catalyst.expressions.aggregate.Max
import org.apache.spark.sql.catalyst.expressions.{Attribute, BoundReference}
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.windrow.MemoryTaken
import org.scalatest.tags.Slow
import scala.util.Random
import windrow.spark.SparkSuite
import windrow.spark.functions.FunctionSet
import windrow.spark.version.Arithmetic
import windrow.testkit.Drawn

/** Tests that combining the rows of a session before the shuffle does not change the merged result (SEMANTICS T3, R18).
  */
@Slow
class PartialSessionsSuite extends SparkSuite {
  import PartialSessionsSuite._

  /** Combines rows in one task. */
  private def run(messages: Seq[Message], gap: Long, memory: Option[Long] = None): Seq[Session] = {
    import spark.implicits._
    val plan                            = messages.toDF().coalesce(1).queryExecution.executedPlan
    val schema                          = plan.output
    val value                           = BoundReference(0, LongType, nullable = true)
    val set                             = new FunctionSet(Seq(Arithmetic.sum(value), Max(value)), Seq(None, Some(1)))
    def column(name: String): Attribute = schema.find(_.name == name).get
    val columns = SessionColumns(
      Seq(column("key")),
      column("time"),
      gap,
      column("alone"),
      set,
      Seq(column("value"), column("counts")),
      Seq(column("id")))
    plan.execute().mapPartitions { rows =>
      memory.foreach(MemoryTaken.allBut)
      new PartialSessions(columns, schema).all(rows).map { row =>
        def whole(at: Int) = Option.unless(row.isNullAt(at))(row.getLong(at))
        Session(row.getLong(0), row.getLong(1), whole(2), whole(3), whole(4), whole(5), whole(6))
      }
    }.collect().toSeq
  }

  private val streams = math.min(60, math.max(12, Drawn.cases / 16))

  private def same(found: Set[Session], wanted: Set[Session]): Unit = {
    assert((found -- wanted).take(3).isEmpty)
    assert((wanted -- found).take(3).isEmpty)
    ()
  }

  private def random(seed: Int, count: Int, keys: Int, step: Int, disorder: Int): Seq[Message] = {
    val random = new Random(seed)
    Seq.tabulate(count) { id =>
      val time  = id.toLong * step - random.nextInt(disorder)
      val alone = random.nextInt(20) == 0
      Message(
        random.nextInt(keys).toLong,
        Option.unless(alone && random.nextBoolean())(time),
        alone,
        Option.unless(random.nextInt(10) == 0)(random.nextInt(1000).toLong),
        random.nextInt(3) > 0,
        id.toLong)
    }
  }

  test("merged groups equal the result of separate rows, in any order") {
    for (seed <- 1 to streams) {
      val disorder = 1 << (seed % 12)
      val messages = random(seed, 500, 1 + seed % 7, 1 + seed % 5, disorder)
      val gap      = 1L + seed % 40
      val found    = run(messages, gap)
      assert(found.map(_.count).sum == messages.size, s"seed $seed")
      same(merged(found.filter(_.id.isEmpty), gap), merged(messages.filterNot(_.alone).map(_.session), gap))
      val (alone, wanted) = (found.filter(_.id.isDefined), messages.filter(_.alone).map(_.session))
      assert(alone.sortBy(_.id) == wanted, s"seed $seed")
    }
  }

  test("in the order of their times all messages of a session are one") {
    val messages = random(1, 20000, 50, 1, 1).filterNot(_.alone)
    val found    = run(messages, 30)
    same(found.toSet, merged(messages.map(_.session), 30))
    assert(found.size == found.toSet.size && found.size < messages.size * 2 / 3)
  }

  test("groups without room are emitted, and no row is lost") {
    val messages = random(2, 100000, 30000, 1, 1000).filterNot(_.alone)
    val gap      = 100000L
    val whole    = run(messages, gap)
    val cut      = run(messages, gap, memory = Some(2L << 20))
    assert(whole.size < cut.size && cut.size < messages.size)
    same(whole.toSet, merged(messages.map(_.session), gap))
    same(merged(cut, gap), whole.toSet)
  }
}

private object PartialSessionsSuite {
  final case class Message(
      key: Long,
      time: Option[Long],
      alone: Boolean,
      value: Option[Long],
      counts: Boolean,
      id: Long) {
    def session: Session =
      Session(key, 1, time, time, value, value.filter(_ => counts), Option.when(alone)(id))
  }

  final case class Session(
      key: Long,
      count: Long,
      first: Option[Long],
      last: Option[Long],
      sum: Option[Long],
      max: Option[Long],
      id: Option[Long]) {
    def and(other: Session): Session = Session(
      key,
      count + other.count,
      (first ++ other.first).minOption,
      (last ++ other.last).maxOption,
      (sum ++ other.sum).reduceOption(_ + _),
      (max ++ other.max).maxOption,
      None)
  }

  /** Merges sessions by sorting them, in one pass. */
  def merged(sessions: Seq[Session], gap: Long): Set[Session] =
    sessions.groupBy(_.key).values.flatMap(_.sortBy(_.first).foldLeft(List.empty[Session]) {
      case (open :: closed, next) if next.first.get - open.last.get <= gap => open.and(next) :: closed
      case (closed, next)                                                  => next :: closed
    }).toSet
}
