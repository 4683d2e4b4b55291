package windrow.core.operator

import org.scalatest.funsuite.AnyFunSuite
import scala.collection.mutable.ArrayBuffer

class StepSuite extends AnyFunSuite {
  private def put(effects: Int*): Part[Int] = out => effects.foreach(out.put)

  private def taken(parts: Iterator[Part[Int]]): Vector[Int] = new Step[Int](parts, _ => ()).toVector

  test("effects are in the order of their parts") {
    assert(taken(Iterator(put(1, 2), put(), put(3))) == Vector(1, 2, 3))
    assert(taken(Iterator.empty).isEmpty)
  }

  test("a part runs when all before it is taken, and not before") {
    val ran = new ArrayBuffer[Int]
    val step =
      new Step[Int](Iterator.from(1).map { n => out => ran += n; out.put(10 * n); out.put(10 * n + 1) }, _ => ())
    assert(ran.isEmpty)
    assert(Seq.fill(3)(step.next()) == Seq(10, 11, 20) && ran == Seq(1, 2))
    assert(step.next() == 21 && step.hasNext && ran == Seq(1, 2, 3))
  }

  test("a part's next parts run before the rest of the step, at any depth") {
    val inner: Part[Int] = out => { out.put(3); out.andThen(Iterator(put(4))); out.andThen(Iterator(put(5))) }
    val outer: Part[Int] = out => { out.andThen(Iterator(inner, put(6))); out.put(2) }
    assert(taken(Iterator(put(1), outer, put(7))) == Vector(1, 2, 3, 4, 5, 6, 7))
  }

  test("a long list of next parts does not increase the depth") {
    def chain(n: Int): Part[Int] = out => { out.put(n); if (n > 0) out.andThen(Iterator.single(chain(n - 1))) }
    assert(taken(Iterator.single(chain(100000))).size == 100001)
  }

  test("effects of another kind keep their place, those of later parts too") {
    val texts: Part[String] = out => { out.put("a"); out.andThen(Iterator.single[Part[String]](_.put("bb"))) }
    assert(taken(Iterator(texts.as(_.length), put(3))) == Vector(1, 2, 3))
  }

  test("each effect is counted once, as it is given out") {
    val counted = new ArrayBuffer[Int]
    val step    = new Step[Int](Iterator(put(1, 2), put(3)), counted += _)
    assert(step.next() == 1 && counted == Seq(1, 2))
    assert(step.toVector == Vector(2, 3) && counted == Seq(1, 2, 3))
  }

  test("of things that are taken one by one a part takes all up to the one that gives something out") {
    val took = new ArrayBuffer[Int]
    val parts = Part.each[Int, Int](Iterator.range(0, 10)) { (n, out) =>
      took += n
      if (n % 4 == 2) out.put(n)
      if (n == 6) out.andThen(Iterator(put(60)))
      if (n == 7) out.andThen(Iterator(put(70)))
    }
    val step = new Step[Int](parts ++ Iterator(put(100)), _ => ())
    assert(step.next() == 2 && took.last == 2)
    assert(step.next() == 6 && took.last == 6)
    assert(step.next() == 60 && took.last == 6)
    assert(step.toVector == Vector(70, 100) && took == (0 until 10))
  }

  test("later parts are not requested before all earlier effects are consumed") {
    var asked = false
    val step = new Step[Int](
      Iterator(put(1)) ++ Part.later { asked = true; Iterator(put(2)) } ++ Iterator(put(3)),
      _ => ())
    assert(step.next() == 1 && !asked)
    assert(step.toVector == Vector(2, 3) && asked)
  }
}
