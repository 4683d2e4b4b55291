package windrow.core.aggregate

import org.scalatest.funsuite.AnyFunSuite
import scala.util.Random
import windrow.TimeSpan
import windrow.WindowFamily._
import windrow.core.Full
import windrow.core.state._
import windrow.core.window.{RunWindow, RunWindows}
import windrow.operators.Sum

/** Tests a run that is longer than the part of it that may be in memory (SEMANTICS S11). */
class KeyRunSuite extends AnyFunSuite {
  private val count = if (Full.isFull) 200000 else 5000

  private val segments = new Segments("runs", new InMemoryShardStore)

  private def empty = new KeyRun(Sum, new CellCodec(Sum), segments, pageBytes = 256, heldPages = 8)

  private def reopened(run: KeyRun[Long]): KeyRun[Long] = {
    val (out, again) = (new ByteWriter, empty)
    run.write(out)
    again.read(ByteReader(out.result()))
    again
  }

  private def cell(at: Int): Cell[Long] =
    new Cell(at.toLong, Cell.Nothing, at.toLong, Cell.NotLate, None, 1, at.toLong, Cell.Nothing)

  test("a walk from end to end, with changes on the way, holds a few pieces that have not changed, and loses none") {
    val run = empty
    (0 until count).foreach(n => run.insert(cell(2 * n)))
    val long = reopened(run)
    (0 until count).foreach { n =>
      assert(long(n).position == 2L * n && long.value(n, n + 1) == 2L * n)
      assert(long.held <= 9)
    }
    (0 until count by 500).foreach(n => long.insert(cell(2 * n + 1)))
    assert(long.indexOf(2L * count) == count + (count + 499) / 500)
    (0 until long.size).foreach(n => assert(n == 0 || long(n - 1).position < long(n).position))
    val again = reopened(long)
    assert(again.value(0, again.size) == run.value(0, count) + (0 until count by 500).map(2L * _ + 1).sum)
  }

  test("SEMANTICS R106: shown cells of one position are in the order in which their values are combined") {
    val inOrder = new OrderedAggregation(Lists)
    def shown(place: Byte, raw: Byte) = new Cell(
      5L,
      Cell.Nothing,
      place.toLong,
      Cell.NotLate,
      None,
      1,
      inOrder.lift(Array(place), Vector(place.toLong)),
      Array(raw))
    for (places <- Seq[Byte](1, 2, 3).permutations) {
      val run = new KeyRun(inOrder, new CellCodec(inOrder), segments)
      places.foreach(place => run.insert(shown(place, (9 - place).toByte)))
      assert((0 until 3).map(i => inOrder.lower(run.value(0, i + 1))) == (1L to 3L).map(1L to _))
    }
  }

  /** Compares a run with its cells, given as a plain list. */
  private def agree(run: KeyRun[Long], cells: Vector[Cell[Long]], random: Random): Unit = {
    assert(run.size == cells.size)
    val from  = random.nextInt(cells.size + 1)
    val until = from + random.nextInt(cells.size + 1 - from)
    val some  = cells.slice(from, until)
    assert(run.value(from, until) == some.map(_.buffer).sum)
    assert(run.messages(from, until) == some.map(_.count).sum)
    assert(run.cells(from, until).map(_.stamp).toVector == some.map(_.stamp))
    assert(run.earliest(from, until).map(_.stamp) == some.map(_.stamp).minOption)
    val stamp = random.nextLong(count.toLong)
    assert(run.acceptedAfter(stamp, from, until).map(_.stamp).toVector == some.map(_.stamp).filter(_ > stamp))
    assert(run.minStamp(from) == cells.drop(from).map(_.stamp).minOption.getOrElse(Long.MaxValue))
    val position = random.nextLong(3L * count)
    assert(run.indexOf(position) == cells.indexWhere(
      _.position >= position) + (if (cells.lastOption.forall(_.position < position)) cells.size + 1
                                 else 0))
  }

  test("inserted, replaced, dropped, asked and stored in any order, a long run is as a plain list of cells") {
    for (seed <- 0 until 4) {
      val random = new Random(seed)
      var run    = empty
      var cells  = Vector.empty[Cell[Long]]
      var stamp  = 0L
      def insert(): Unit = {
        stamp += 1
        val position = random.nextLong(3L * count)
        val one      = new Cell(position, Cell.Nothing, stamp, Cell.NotLate, None, 1, random.nextLong(99), Cell.Nothing)
        val at       = cells.indexWhere(one.isBefore(_, Sum))
        val expected = if (at < 0) cells.size else at
        assert(run.insert(one) == expected)
        cells = cells.patch(expected, Seq(one), 0)
      }
      def replace(): Unit = if (cells.nonEmpty) {
        val index = random.nextInt(cells.size)
        val old   = cells(index)
        val more  = random.nextLong(99)
        val one =
          new Cell(old.position, old.order, old.stamp, old.judged, None, old.count + 1, old.buffer + more, old.raw)
        run.replace(index, one, more)
        cells = cells.updated(index, one)
      }
      (0 until 500).foreach(_ => insert())
      (0 until count / 5).foreach { _ =>
        random.nextInt(40) match {
          case 0 => run = reopened(run)
          case 1 =>
            val some = random.nextInt(math.min(cells.size, 9) + 1); run.dropFirst(some); cells = cells.drop(some)
          case n if n < 12 => replace()
          case n if n < 16 => agree(run, cells, random)
          case _           => insert()
        }
      }
      run = reopened(run)
      assert(run.cells(0, run.size).map(one => (one.position, one.stamp, one.buffer)).toVector ==
        cells.map(one => (one.position, one.stamp, one.buffer)))
      val dropped = cells.size / 2
      run.fold(dropped)
      assert(run.size == cells.size - dropped + 1 && run.value(0, run.size) == cells.map(_.buffer).sum)
    }
  }

  test("changes of a window are found although its rows are read more than once") {
    val some   = 400
    val random = new Random(7)
    def updates(run: KeyRun[Long], owner: Int): Vector[Long] = {
      val window = RunWindow(0, 0, owner + 1L, owner - 2, owner + 1, owner)
      RunWindows(MessageWindowsByCount(3)).updates(run, window, -1).map(_.stamp).toVector
    }
    val run = empty
    random.shuffle((0 until some).toVector).zipWithIndex.foreach { case (position, stamp) =>
      run.insert(new Cell(position.toLong, Cell.Nothing, stamp.toLong, Cell.NotLate, None, 1, 1L, Cell.Nothing))
    }
    val long = reopened(run)
    assert((3 until some by 7).exists(updates(run, _).size > 3))
    for (owner <- 3 until some by 7) assert(updates(long, owner) == updates(run, owner))
  }

  /** A long run that starts in the middle of a piece. */
  private def spread(random: Random, size: Int): KeyRun[Long] = {
    val run = empty
    (0 until size).foreach(n =>
      run.insert(new Cell(
        random.nextLong(3L * size),
        Cell.Nothing,
        n.toLong,
        Cell.NotLate,
        None,
        1,
        random.nextLong(99),
        Cell.Nothing)))
    val long = reopened(run)
    long.dropFirst(size / 9)
    long
  }

  test("sliding windows are those of the messages, one by one") {
    val random = new Random(5)
    for (size <- Seq(0, 1, 9, 90, count / 5)) {
      val (run, width, step) = (spread(random, size), random.nextLong(90), 1 + random.nextLong(3))
      val windows            = RunWindows(DistinctSets(TimeSpan(width), TimeSpan(step)))
      val at                 = run.cells(0, run.size).map(_.position).toVector
      val lasts              = (at ++ at.map(_ + step + width)).distinct.sorted
      val all = lasts.map(last => (last + 1, at.count(_ < last - width), at.count(_ <= last)))
        .filter { case (_, from, until) => from < until }
      def found(low: Long, high: Long) =
        windows.ending(run, low, high).map(window => (window.end, window.from, window.until)).toVector
      assert(found(Long.MinValue, Long.MaxValue) == all)
      (0 until 20).foreach { _ =>
        val (low, high) = (random.nextLong(3L * size + 9), random.nextLong(3L * size + 9))
        assert(found(low, high) == all.filter(one => low <= one._1 && one._1 <= high))
      }
    }
  }

  test("ranges that ascend have the values that each has alone") {
    val random = new Random(9)
    for (size <- Seq(1, 10, 300)) {
      val run    = spread(random, size)
      def some   = Vector.fill(size)(random.nextInt(run.size + 1)).sorted
      val ranges = some.zip(some).collect { case (from, until) if from < until => (from, until) }
      assert(new RangeSweep(run, Sum).apply(ranges).toVector == ranges.map { case (from, until) =>
        run.value(from, until)
      })
    }
  }
}
