package windrow.core.pattern

import org.scalatest.funsuite.AnyFunSuite
import scala.collection.mutable
import scala.util.Random
import windrow._
import windrow.core.Full
import windrow.core.operator.Origin
import windrow.core.state.{InMemoryShardStore, Key, ShardStore, SpecFingerprint}
import windrow.core.store.{Incoming, StoredMessage}
import windrow.core.time.Watermark

/** Compares the matches of random patterns in random streams with [[BruteForce]] (SEMANTICS R140, R141, R148 to R151),
  * with other steps, late rows, and restarts.
  */
class MatchShardSuite extends AnyFunSuite {
  import MatchShardSuite._

  private val cases = sys.props.get("windrow.cases").fold(if (Full.isFull) 20000 else 300)(_.toInt)

  test(s"R141, R148: $cases random streams have the matches of brute force, whatever their steps") {
    compare(readsMatch = false)
  }

  test(s"R158: so have $cases random streams whose conditions read earlier rows of the match") {
    compare(readsMatch = true)
  }

  private def compare(readsMatch: Boolean): Unit = {
    var (matches, retractions, rejected) = (0, 0, 0)
    (1 to cases).foreach { seed =>
      withClue(s"seed $seed: ") {
        val drawn = new Drawn(seed, readsMatch)
        val run   = new Run(drawn)
        var mark  = Watermark.None
        drawn.steps.foreach { case (rows, next) =>
          val expected = rows.filterNot(row => mark.isDefined && mark.at > row.time + drawn.lateness)
          run.step(rows, next)
          run.accepted ++= expected
          mark = mark.max(next)
          assert(run.rejected.size == run.seen - run.accepted.size)
          if (next.isDefined) {
            val once = new Run(drawn)
            once.step(run.accepted.toSeq, next)
            assert(run.net == once.net, s"after the watermark ${next.at}")
          }
        }
        run.step(Nil, Watermark.End)
        assert(run.net == drawn.expected(run.accepted.toSeq))
        if (drawn.lateness == 0) assert(run.retractions == 0)
        assert(run.stored == 0)
        matches += run.net.values.sum
        retractions += run.retractions
        rejected += run.rejected.size
      }
    }
    assert(matches > cases && retractions > cases / 10 && rejected > cases / 10) // the cases reach every rule
  }

  test(s"R151: ${cases / 3} random streams have the matches of brute force after a restart with a longer lateness") {
    var rejected = 0
    (1 to cases / 3).foreach { seed =>
      withClue(s"seed $seed: ") {
        val drawn  = new Drawn(seed, readsMatch = seed % 2 == 0)
        val run    = new Run(drawn)
        val change = 1 + seed % 3
        drawn.steps.zipWithIndex.foreach { case ((rows, next), i) =>
          if (i == change) run.lengthen(TimeSpan(15))
          run.step(rows, next)
        }
        run.step(Nil, Watermark.End)
        val kept = drawn.steps.flatMap(_._1).groupBy(identity).toSeq.flatMap { case (one, all) =>
          all.drop(run.rejected.count(isSame(_, one.incoming)))
        }
        assert(run.seen == kept.size + run.rejected.size)
        assert(run.net == drawn.expected(kept))
        rejected += run.rejected.size
      }
    }
    assert(rejected > 0)
  }

  test("R149: rows that no match can need are removed") {
    val spec = MatchDraft("A+ B", within = Some(TimeSpan(100)), lateness = Some(TimeSpan(50))).check.toOption.get
    val run  = new Rows(spec, new ByRow((_, row) => if (valueOf(row) == 0) 1L else 2L))
    val most = (1 to 2000).map { n =>
      run.step(Seq(row(0, n * 10L, n % 7, Some(n.toLong))), Watermark(n * 10L))
      run.stored
    }.max
    assert(most <= 2 + (100 + 50) / 10 + 1)
    run.step(Nil, Watermark(1000000))
    assert(run.stored == 0)
  }

  test("R150: a search tries no state twice at a row") {
    val count = if (Full.isFull) 3000 else 300
    Seq("(A+)+ B", "(A | A)* B", "(A* A*)* B", "(A? A?){20} B", "((A+)? (A | B)*)+ C",
      "((A?? (A?? A*?)*)* A?)* B").foreach { text =>
      val pattern = RowPattern.parse(text).toOption.get
      val names   = pattern.names.distinct
      val program = RowProgram(pattern, names)
      val search  = new PatternSearch(program)
      assert(search.find(0, count, isOpen = false, EachIsA) == PatternSearch.NoMatch)
      assert(search.work <= (count + 1L) * program.states, text)
    }
  }

  test("R158: a search tries no state twice at a row with the same earlier rows that matter") {
    val count = 100
    // B reads the last A, C the first A. A row of B follows an A directly, so it does not increase the work.
    Seq("(A B)+ C" -> (0, false, 1), "A* (B | A)* C" -> (0, false, count), "A{2,} D* C" -> (0, true, 1)).foreach {
      case (text, (name, isFirst, open)) =>
        val pattern = RowPattern.parse(text).toOption.get
        val names   = pattern.names.distinct
        val program = RowProgram(pattern, names)
        val readers = if (isFirst) Set("C") else Set("B")
        val search = new PatternSearch(
          program,
          IndexedSeq(EarlierRow(Some(name), isFirst)),
          reader => if (readers(names(reader))) Seq(0) else Nil)
        assert(search.find(0, count, isOpen = false, new AllBut(names.indexOf("C"))) == PatternSearch.NoMatch)
        assert(search.work <= (count + 1L) * program.states * open, text)
        assert(search.work >= count, text)
    }
  }

  test("R158: an earlier row that another one replaces first does not increase the work") {
    val count   = 100
    val program = RowProgram(RowPattern.parse("(A | B)* A C").toOption.get, IndexedSeq("A", "B", "C"))
    val search =
      new PatternSearch(
        program,
        IndexedSeq(EarlierRow(Some(0), isFirst = false)),
        name => if (name == 2) Seq(0) else Nil)
    assert(search.find(0, count, isOpen = false, new AllBut(2)) == PatternSearch.NoMatch)
    assert(search.work <= (count + 1L) * program.states)
  }

  test("R158: a state is tried again after other rows, if a later condition reads them") {
    val names   = IndexedSeq("A", "B", "C", "D")
    val program = RowProgram(RowPattern.parse("(A | B) C D").toOption.get, names)
    val search =
      new PatternSearch(
        program,
        IndexedSeq(EarlierRow(Some(0), isFirst = false)),
        name => if (name == 3) Seq(0) else Nil)
    val withoutA = new PatternSearch.Rows {
      def names(row: Int): Long                                    = -1L
      def holds(name: Int, row: Int, earlier: Array[Int]): Boolean = earlier(0) < 0
    }
    assert(search.find(0, 3, isOpen = false, withoutA) == 3)
    assert(search.found(3).toSeq == Seq[Byte](1, 2, 3))
  }

  test("R158: which rows can precede others in a pattern") {
    val pattern              = RowPattern.parse("A (B | c)? D{2} (E F)+").toOption.get
    def before(name: String) = Seq("A", "B", "C", "D", "E", "F").filter(RowPattern.canPrecede(pattern, _, name))
    assert(before("A").isEmpty && before("b") == Seq("A") && before("C") == Seq("A"))
    assert(before("D") == Seq("A", "B", "C", "D") && before("E") == before("F"))
    assert(before("F").size == 6)
  }

  test("R140: what a pattern cannot be") {
    Seq("" -> 1, "A |" -> 4, "A (B" -> 5, "A)" -> 2, "A**" -> 3, "A{2,1}" -> 2, "A{0}" -> 2, "1A" -> 1, "A{1001}" -> 3)
      .foreach { case (text, position) =>
        val problem = RowPattern.parse(text).swap.toOption.get
        assert(problem.code == "PATTERN_NOT_UNDERSTOOD")
        assert(problem.text.contains(s"at position $position:"), s"$text: ${problem.text}")
      }
    def codes(draft: MatchDraft) = draft.check.swap.toOption.get.map(_.code).toSet
    val draft                    = MatchDraft("A", lateness = Some(TimeSpan.Zero))
    assert(draft.check.isRight)
    assert(codes(draft.copy(pattern = "A* B?")) == Set("PATTERN_OF_NOTHING"))
    assert(codes(draft.copy(pattern = "((A{1000}){1000}){1000}")) == Set("PATTERN_TOO_LARGE"))
    assert(codes(draft.copy(pattern = (1 to 65).map("N" + _).mkString(" "))) == Set("PATTERN_TOO_LARGE"))
    assert(
      codes(MatchDraft("A", Seq("B" -> "true", "a" -> "true", "A" -> "true"), Seq("MATCH" -> "count(*)"))) ==
        Set("NAME_NOT_IN_PATTERN", "NAME_TWICE", "NAME_TAKEN", "LATENESS_NOT_STATED"))
  }
}

private object MatchShardSuite {
  def row(key: Int, time: Long, value: Int, offset: Option[Long]): Incoming =
    Incoming(new Key(Array(key.toByte)), Some(time), offset.map(Origin("", 0, _)), Array(value.toByte, key.toByte))

  def isSame(one: Incoming, other: Incoming): Boolean =
    one.time == other.time && one.origin == other.origin && one.payload.toSeq == other.payload.toSeq

  def valueOf(row: StoredMessage): Int = row.payload(0).toInt

  /** Conditions that read no earlier rows of the match. */
  final class ByRow(names: (StoredMessage, StoredMessage) => Long, val readsPrevious: Boolean = true)
      extends RowConditions {
    def classify(previous: StoredMessage, row: StoredMessage): Long = names(previous, row)
  }

  /** Rows that have only the first name. */
  object EachIsA extends PatternSearch.Rows {
    def names(row: Int): Long                                    = 1L
    def holds(name: Int, row: Int, earlier: Array[Int]): Boolean = false
  }

  /** Rows that have every name but one. */
  final class AllBut(name: Int) extends PatternSearch.Rows {
    def names(row: Int): Long                                     = ~(1L << name)
    def holds(other: Int, row: Int, earlier: Array[Int]): Boolean = other != name
  }

  /** A row as the test sees it. */
  final case class Given(key: Int, time: Long, value: Int, offset: Option[Long]) {
    def incoming: Incoming = row(key, time, value, offset)
  }

  /** A match: the key, and the time, value, and name of each row. */
  type Match = (Int, Seq[(Long, Int, String)])

  /** A shard that is opened anew for each step. */
  class Rows(spec: MatchSpec, conditions: RowConditions) {
    private var store = new InMemoryShardStore
    private var now   = spec
    val net           = mutable.HashMap.empty[Match, Int]
    val rejected      = mutable.ArrayBuffer.empty[Incoming]
    var retractions   = 0
    var seen          = 0

    private def open(store: ShardStore) =
      new MatchShard(now, store, conditions, new SpecFingerprint(MatchShard.fingerprint(now)))

    /** Continues with a lateness that is longer by this. */
    def lengthen(by: TimeSpan): Unit = now = MatchDraft(
      spec.pattern,
      within = spec.within,
      after = spec.after,
      lateness = Some(TimeSpan(spec.lateness.micros + by.micros))).check.toOption.get

    def step(rows: Seq[Incoming], watermark: Watermark): Unit = {
      store = store.snapshot
      seen += rows.size
      open(store).step(rows.sorted(Incoming.order(Over(TimeSpan.Zero))).iterator, watermark, Some(0L)).foreach {
        case MatchEffect.Reject(message, _, _) => rejected += message
        case MatchEffect.Found(key, rows, names, isRetraction) =>
          val one: Match = (
            key.bytes(0).toInt,
            rows.zip(names).map { case (row, name) => (row.time, valueOf(row), spec.names(name.toInt)) })
          if (isRetraction) retractions += 1
          val count = net.getOrElse(one, 0) + (if (isRetraction) -1 else 1)
          assert(count >= 0, s"$one was retracted before it was emitted")
          if (count == 0) net -= one else net(one) = count
      }
    }

    def stored: Long = open(store.snapshot).storedRows
  }

  /** A random pattern and a random stream.
    *
    * @param readsMatch
    *   whether conditions read earlier rows of the match
    */
  final class Drawn(seed: Int, readsMatch: Boolean) {
    private val random            = new Random(seed)
    private def one[T](of: T*): T = of(random.nextInt(of.size))

    private def pattern(depth: Int): String = random.nextInt(if (depth == 0) 1 else 6) match {
      case 0 => if (readsMatch) one("A", "B", "D", "E", "F", "G") else one("A", "B", "C", "D")
      case 1 => s"${pattern(depth - 1)} ${pattern(depth - 1)}"
      case 2 => s"(${pattern(depth - 1)} | ${pattern(depth - 1)})"
      case _ => s"(${pattern(depth - 1)})${one("*", "+", "?", "{2}", "{1,3}", "{0,2}", "{2,}")}${one("", "", "?")}"
    }

    val lateness: Long    = one(0L, 0L, 5L, 20L)
    private val within    = one(0L, 3L, 10L, 1000L)
    private val hasIds    = random.nextBoolean()
    val after: AfterMatch = one(AfterMatch.All: _*)

    val spec: MatchSpec = Iterator.continually(MatchDraft(
      s"${one("A", "D", "(B | C)")} ${pattern(3)}",
      within = Some(TimeSpan(within)),
      after = after,
      lateness = Some(TimeSpan(lateness))).check).collectFirst { case Right(checked) => checked }.get

    /** A: 0. B: more than the previous row. C: no previous row, or an equal one. D: every row. E: more than the last A.
      * F: equal to the first F. G: at most the first row, and not equal to the last B.
      *
      * @param first
      *   the first row of a name in the match, or of any name
      * @param last
      *   the last row of a name in the match before the row
      */
    private def has(
        before: Option[Int],
        value: Int,
        name: String,
        first: Option[String] => Option[Int] = _ => None,
        last: String => Option[Int] = _ => None): Boolean = name match {
      case "A" => value == 0
      case "B" => before.exists(value > _)
      case "C" => before.forall(_ == value)
      case "E" => last("A").exists(value > _)
      case "F" => first(Some("F")).contains(value)
      case "G" => first(None).exists(value <= _) && last("B").forall(_ != value)
      case _   => true
    }

    val conditions: RowConditions = new RowConditions {
      private val number = spec.names.zipWithIndex.toMap
      private val read = Seq("E" -> Some("A"), "F" -> Some("F"), "G" -> None, "G" -> Some("B")).filter {
        case (reader, name) => number.contains(reader) && name.forall(number.contains)
      }
      def readsPrevious: Boolean = spec.names.exists(Set("B", "C"))

      override def earlier: IndexedSeq[EarlierRow] = read.toIndexedSeq.map { case (reader, name) =>
        EarlierRow(name.map(number), isFirst = reader == "F" || name.isEmpty)
      }

      override def reads(name: Int): Seq[Int] = read.indices.filter(i => number(read(i)._1) == name)

      def classify(before: StoredMessage, row: StoredMessage): Long = spec.names.indices
        .filter(i => has(Option(before).map(valueOf), valueOf(row), spec.names(i))).map(1L << _).foldLeft(0L)(_ | _)

      override def holds(
          name: Int,
          previous: StoredMessage,
          row: StoredMessage,
          rows: Array[StoredMessage]): Boolean = {
        assert(rows.indices.forall(i => reads(name).contains(i) || rows(i) == null))
        def value(of: Option[String], isFirst: Boolean) =
          read.indices.find(i => read(i)._2 == of && earlier(i).isFirst == isFirst && rows(i) != null)
            .map(i => valueOf(rows(i)))
        has(
          Option(previous).map(valueOf),
          valueOf(row),
          spec.names(name),
          value(_, isFirst = true),
          name => value(Some(name), isFirst = false))
      }
    }

    /** The rows of each step and the watermark at its end. */
    val steps: Seq[(Seq[Given], Watermark)] = {
      var mark   = 0L
      var offset = 0L
      (0 to 1 + random.nextInt(6)).map { _ =>
        val rows = Seq.fill(random.nextInt(9)) {
          offset += 1
          Given(
            random.nextInt(2),
            1 + math.max(0L, mark - 12) + random.nextInt(24),
            random.nextInt(3),
            Option.when(hasIds)(offset))
        }
        mark = math.max(mark, rows.map(_.time).maxOption.getOrElse(0L) - random.nextInt(8))
        (rows, if (mark > 0) Watermark(mark) else Watermark.None)
      }
    }

    def expected(accepted: Seq[Given]): Map[Match, Int] = accepted.groupBy(_.key).toSeq.flatMap { case (key, some) =>
      val rows           = some.sortBy(row => (row.time, row.offset, row.value)).toIndexedSeq
      def before(i: Int) = Option.when(i > 0 && rows(i).time - rows(i - 1).time <= within)(rows(i - 1).value)
      new BruteForce(
        rows.map(_.time),
        within,
        (i, name, names) => {
          val matched = names.indices.map(n => (names(n), rows(i - names.size + n).value)) :+ (name -> rows(i).value)
          has(
            before(i),
            rows(i).value,
            name,
            of => matched.find(row => of.forall(_ == row._1)).map(_._2),
            of => matched.init.filter(_._1 == of).lastOption.map(_._2))
        }).all(spec.tree, after)
        .map { case (start, names) =>
          (
            key,
            rows.slice(start, start + names.size).zip(names).map { case (row, name) => (row.time, row.value, name) })
        }
    }.groupBy(identity).map { case (one, all) => one -> all.size }
  }

  final class Run(drawn: Drawn) extends Rows(drawn.spec, drawn.conditions) {
    val accepted = mutable.ArrayBuffer.empty[Given]

    def step(rows: Seq[Given], watermark: Watermark)(implicit dummy: DummyImplicit): Unit =
      step(rows.map(_.incoming), watermark)
  }
}
