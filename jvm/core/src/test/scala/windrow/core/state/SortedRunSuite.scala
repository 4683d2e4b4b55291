package windrow.core.state

import java.util.TreeMap
import org.scalatest.funsuite.AnyFunSuite
import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.Random
import windrow.operators.Sum

/** Compares a sorted run with a map of Java, over steps and restarts. */
final class SortedRunSuite extends AnyFunSuite {
  private def key(number: Int): Key = new Key(Array(number.toByte))

  /** A store that checks that each value that it removes exists. */
  private final class Strict(override val largeFrom: Int = Additions.LargeFrom) extends Spaces {
    val values = mutable.HashMap.empty[Long, Array[Byte]]
    var read   = 0L
    var wrote  = 0L
    def space(name: String): Space = new Space {
      def get(id: Long): Array[Byte] = {
        val found = values.get(id).map(_.clone()).orNull
        if (found != null) read += found.length
        found
      }
      def put(id: Long, bytes: Array[Byte]): Unit = { wrote += bytes.length; values(id) = bytes.clone() }
      def remove(id: Long): Unit                  = assert(values.remove(id).isDefined, s"there was no $id")
    }
  }

  private def check(seed: Int): Unit = {
    val random  = new Random(seed)
    val store   = new Strict
    val spread  = 1 + random.nextInt(100)
    val wanted  = new TreeMap[Long, mutable.HashMap[Key, Long]]
    val segment = 1 + random.nextInt(200)
    var bound   = 0L
    var run     = new SortedRun("values", store, Sum, segment)
    (1 to 20).foreach { _ =>
      (1 to random.nextInt(40)).foreach { _ =>
        val position = bound + random.nextInt(spread)
        val one      = key(random.nextInt(5))
        val value    = random.nextInt(1000).toLong
        run.at(position).put(one, value)
        wanted.computeIfAbsent(position, _ => mutable.HashMap.empty).put(one, value)
        if (random.nextInt(20) == 0) {
          bound += random.nextInt(spread)
          run.dropBelow(bound)
          wanted.headMap(bound).clear()
        }
      }
      val found = run.between(bound, Long.MaxValue).map { case (at, keyed) =>
        at -> (0 until keyed.size).map(i => keyed.keyAt(i) -> keyed.valueAt(i)).toMap
      }.filter(_._2.nonEmpty).toSeq
      assert(found == wanted.asScala.toSeq.map { case (at, keyed) => at.longValue -> keyed.toMap }, s"seed $seed")
      run.flush()
      if (random.nextBoolean()) {
        val out = new ByteWriter
        run.writeDirectory(out)
        run = new SortedRun("values", store, Sum, segment)
        run.readDirectory(ByteReader(out.result()))
      }
    }
  }

  private def again[T](run: SortedRun[T])(fresh: SortedRun[T]): SortedRun[T] = {
    val out = new ByteWriter
    run.writeDirectory(out)
    fresh.readDirectory(ByteReader(out.result()))
    fresh
  }

  /** Returns the number of bytes that are read to evaluate a condition, which must hold. */
  private def reading(store: Strict)(holds: => Boolean): Long = {
    val before = store.read
    assert(holds)
    store.read - before
  }

  private def added(seed: Int): Unit = {
    val random = new Random(seed)
    def empty(store: Spaces) =
      new SortedRun("values", store, Sum, 1 + random.nextInt(200), combine = Some(Sum.combine(_, _)))
    val values = mutable.HashMap.empty[Long, Array[Byte]]
    def store = {
      val one = new Strict(1 << random.nextInt(8))
      one.values ++= values
      one
    }
    val spread  = 1 + random.nextInt(5)
    val keys    = 1 + random.nextInt(100)
    val wanted  = new TreeMap[Long, mutable.HashMap[Key, Long]]
    var current = store
    var run     = empty(current)
    var bound   = 0L
    (1 to 40).foreach { _ =>
      (1 to random.nextInt(1 + random.nextInt(200))).foreach { _ =>
        val position = bound + random.nextInt(spread)
        val one      = key(random.nextInt(keys))
        val value    = random.nextInt(1000).toLong
        val known    = wanted.computeIfAbsent(position, _ => mutable.HashMap.empty)
        if (random.nextInt(50) > 0) {
          run.add(position, one, value)
          known.updateWith(one)(before => Some(before.getOrElse(0L) + value))
        } else {
          run.at(position).put(one, value) // replaces the value
          known.update(one, value)
        }
        if (random.nextInt(200) == 0) {
          bound += random.nextInt(spread)
          run.dropBelow(bound)
          wanted.headMap(bound).clear()
        }
      }
      val from  = bound + random.nextInt(spread)
      val until = from + random.nextInt(spread)
      val held  = wanted.subMap(from, until).values.asScala.map(_.size.toLong).sum
      assert(reading(current)(run.sizeAtMost(from, until) >= held) == 0, s"seed $seed")
      if (random.nextInt(3) == 0) {
        val found = run.between(bound, Long.MaxValue).map { case (at, keyed) =>
          at -> (0 until keyed.size).map(i => keyed.keyAt(i) -> keyed.valueAt(i)).toMap
        }.filter(_._2.nonEmpty).toSeq
        assert(found == wanted.asScala.toSeq.map { case (at, keyed) => at.longValue -> keyed.toMap }, s"seed $seed")
        assert(run.sizeAtMost(from, until) == held, s"seed $seed: what is read is counted")
      }
      run.flush()
      run.size.foreach(size => assert(size == wanted.values.asScala.map(_.size).sum, s"seed $seed"))
      if (random.nextInt(4) > 0) {
        values.clear()
        values ++= current.values
        current = store
        run = again(run)(empty(current))
      }
    }
    run.dropBelow(bound + spread)
    run.flush()
    assert(current.values.isEmpty, s"seed $seed: ${current.values.keys} are left")
  }

  test("S18: values added to large segments are stored next to the earlier values, for any limit") {
    (1 to 1000).foreach(added)
  }

  test("S18: the cost of an added value does not grow with its segment") {
    def work(keys: Int): Double = {
      val store = new Strict
      def empty = new SortedRun("values", store, Sum, combine = Some(Sum.combine(_, _)))
      var run   = empty
      def step(all: Iterable[Int]): Unit = {
        all.foreach(one => run.add(0, new Key(BigInt(one).toByteArray), 1L))
        run.flush()
        run = again(run)(empty)
      }
      step(0 until keys)
      store.read = 0
      store.wrote = 0
      val random = new Random(1)
      (1 to 200).foreach(_ => step(Seq.fill(50)(random.nextInt(keys))))
      val bytes = store.read + store.wrote
      assert(run.between(0, 1).map(_._2.valuesInOrder.sum).sum == keys + 10000)
      bytes / 10000.0
    }
    val (few, many) = (work(10000), work(400000))
    assert(many < 2 * few, s"bytes read and written for each: $few of 10,000, $many of 400,000")
  }

  test("S18: a position of which nothing has come has a segment of its own, so that its neighbour leaves unread") {
    val store = new Strict(1)
    def empty = new SortedRun("values", store, Sum, combine = Some(Sum.combine(_, _)))
    var run   = empty
    for (position <- Seq(0L, 0L, 10L, 10L, 20L)) {
      (0 until 9).foreach(one => run.add(position, key(one), 1L))
      run.flush()
      run = again(run)(empty)
    }
    store.read = 0
    assert(run.ceiling(5).contains(10L) && run.ceiling(10).contains(10L))
    run.dropBelow(20)
    run.flush()
    assert(store.read == 0 && run.size.contains(9L))
  }

  test("S18: parts of a segment are few, and none is written often") {
    for (sizes <- Seq(Seq(1L), Seq(7L, 300L, 1L), Seq(100000L, 5L))) {
      var counts  = Vector(50000L)
      var written = 0L
      (1 to 3000).foreach { i =>
        counts :+= sizes(i % sizes.size)
        val newest = Additions.together(counts)
        counts = counts.dropRight(newest) :+ counts.takeRight(newest).sum
        written += counts.last
        assert(newest > 0 && counts.nonEmpty && counts.size < 40)
      }
      assert(written < 12 * counts.sum, s"$written of ${counts.sum}")
    }
  }

  test("a stored value stays until it is removed; the store never removes a missing value") {
    (1 to 300).foreach(check)
  }

  test("keys of one position that are more than a value can hold stand in several") {
    for (apart <- Seq(true, false); largeFrom <- Seq(1, 1000)) {
      val store = new Strict(largeFrom)
      def open(directory: Option[ByteWriter]) = {
        val run = new SortedRun(
          "values",
          store,
          Sum,
          100,
          combine = Option.when[(Long, Long) => Long](apart)(_ + _),
          mostBytes = 300)
        directory.foreach(out => run.readDirectory(ByteReader(out.result())))
        run
      }
      val wanted    = new TreeMap[Long, mutable.HashMap[Key, Long]]
      var directory = Option.empty[ByteWriter]
      (1 to 6).foreach { step =>
        val run = open(directory)
        for (position <- Seq(1L, 2L, 9L); number <- 0 until 100 if step > 1 || position == 2) {
          val one = key(number)
          if (apart) run.add(position, one, step.toLong) else run.at(position).put(one, step.toLong)
          val before = wanted.computeIfAbsent(position, _ => mutable.HashMap.empty)
          before(one) = (if (apart) before.getOrElse(one, 0L) else 0L) + step
        }
        run.flush()
        val out = new ByteWriter
        run.writeDirectory(out)
        directory = Some(out)
        assert(store.values.values.forall(_.length < 400))
        val found = open(directory).between(0, 100).map { case (at, keyed) =>
          at -> (0 until keyed.size).map(i => keyed.keyAt(i) -> keyed.valueAt(i)).toMap
        }.toMap
        assert(found == wanted.asScala.map { case (at, keyed) => at.longValue -> keyed.toMap }.toMap)
      }
      val run = open(directory)
      run.dropBelow(100)
      run.flush()
      assert(store.values.isEmpty)
    }
  }
}
