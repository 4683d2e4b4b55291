package windrow.core.join

import org.scalatest.funsuite.AnyFunSuite
import scala.util.Random
import windrow._
import windrow.core.operator.Origin
import windrow.core.state.{InMemoryShardStore, Key}
import windrow.core.store.Incoming
import windrow.core.time.Watermark

/** Compares as-of joins with a search of all rows after every step (SEMANTICS R115 to R118): random streams, late rows,
  * other steps, several shards, and a new object for each step.
  */
class AsofSuite extends AnyFunSuite {
  import AsofSuite._

  private val cases = math.max(5, Integer.getInteger("windrow.cases", 300) / 6)

  for {
    direction <- AsofDirection.All
    how       <- Seq(JoinKind.Left, JoinKind.Inner)
    early     <- Seq(EachBatch, Never)
  } test(s"$direction, $how, early=$early: $cases random streams") {
    (1 to cases).foreach { n =>
      val seed   = n * 31L + direction.hashCode
      val random = new Random(seed)
      val tolerance =
        if (direction == AsofDirection.Backward && random.nextInt(3) == 0) None else Some(random.nextInt(8).toLong)
      val lateness = random.nextInt(10).toLong
      val steps    = streams(random)
      val clue     = s"seed $seed, tolerance $tolerance, lateness $lateness"
      withClue(clue)(check(direction, how, early, tolerance, lateness, steps, shards = 1 + random.nextInt(3)))
      if (n % 5 == 0) withClue(s"$clue, cut") {
        val (one, other) =
          (net(direction, how, early, tolerance, 1000, steps), net(direction, how, early, tolerance, 1000, cut(steps)))
        assert(one == other)
      }
    }
  }

  /** Compares with the search after every step, and at the end of the input. */
  private def check(
      direction: AsofDirection,
      how: JoinKind,
      early: PaneTrigger,
      tolerance: Option[Long],
      lateness: Long,
      steps: Seq[Step],
      shards: Int): Unit = {
    val join  = new Joined(direction, how, early, tolerance, lateness, shards)
    var rows  = Vector.empty[Row]
    var known = Vector.empty[(Row, Long)] // accepted messages with the watermark before their step
    var w     = Least
    (steps :+ Step(Nil, Long.MaxValue)).foreach { step =>
      val (in, late) = step.rows.partition(row => w == Least || row.time >= w - lateness)
      val effects    = join.step(step)
      assert(effects.rejected.sorted == late.map(_.id).sorted)
      known ++= in.map(_ -> w)
      rows ++= in
      w = math.max(w, step.watermark)
      val expected = rows.filter(_.stream == 0).flatMap { left =>
        val partner = search(direction, tolerance, left, rows)
        val wait = partner.fold(if (direction == AsofDirection.Backward) 0L else tolerance.get)(found =>
          if (direction == AsofDirection.Backward) 0L else math.abs(found.time - left.time))
        val isNull = left.key == NullKey
        val isDone =
          isNull || early == EachBatch || w == Long.MaxValue || (w != Least && w > left.time + wait + lateness)
        val shown = if (isNull) None else partner
        Option.when(isDone && (how == JoinKind.Left || shown.isDefined))((left.id, shown.map(_.id)))
      }
      assert(join.net.sorted == expected.sorted)
      if (early == Never) assert(effects.retractions == 0)
      assert(effects.changes <= step.rows.size * 2 + rows.size * 2)
    }
    assert(join.lefts == 0, "rows of the first stream are still stored")
    val keys = rows.filter(row => row.stream == 1 && row.key != NullKey).map(_.key).distinct.size
    val most = if (direction == AsofDirection.Backward && tolerance.isEmpty) keys else 0
    assert(join.rights <= (if (direction == AsofDirection.Forward) 0 else keys) && join.rights >= most)
  }

  private def net(
      direction: AsofDirection,
      how: JoinKind,
      early: PaneTrigger,
      tolerance: Option[Long],
      lateness: Long,
      steps: Seq[Step]): Seq[(Int, Option[Int])] = {
    val join = new Joined(direction, how, early, tolerance, lateness, shards = 2)
    (steps :+ Step(Nil, Long.MaxValue)).foreach(join.step)
    join.net.sorted
  }

  test("the row of the second stream that is nearest by each direction (SEMANTICS R115)") {
    def partner(direction: AsofDirection, tolerance: Long, rights: Long*): Option[Long] = {
      val steps = Seq(Step(
        Row(0, 0, 1, 100) +: rights.zipWithIndex.map { case (time, n) => Row(n + 1, 1, 1, time) },
        Least))
      net(direction, JoinKind.Left, EachBatch, Some(tolerance), 0, steps).head._2.map(id => rights(id - 1))
    }
    import AsofDirection._
    assert(partner(Backward, 10, 90, 95, 101).contains(95L))
    assert(partner(Backward, 4, 90, 95, 101).isEmpty)
    assert(partner(Forward, 10, 90, 99, 104, 107).contains(104L))
    assert(partner(Nearest, 10, 93, 107).contains(93L))
    assert(partner(Nearest, 10, 93, 106).contains(106L))
    assert(AsofDirection.All.forall(partner(_, 0, 100).contains(100L)))
  }

  test("a nearer row retracts the row before it, and a row with equal values does not (SEMANTICS R116)") {
    val join = new Joined(AsofDirection.Backward, JoinKind.Left, EachBatch, Some(10), 50, 1)
    def step(rows: Row*): (Int, Int) = {
      val effects = join.step(Step(rows, 100))
      (effects.changes, effects.retractions)
    }
    assert(step(Row(1, 0, 1, 100)) == ((1, 0)))
    assert(step(Row(2, 1, 1, 92)) == ((2, 1)))
    assert(step(Row(3, 1, 1, 95)) == ((2, 1)))
    assert(step(Row(4, 1, 1, 91), Row(5, 1, 2, 99)) == ((0, 0)))
    assert(step(Row(3, 1, 1, 96)) == ((0, 0)))
    assert(join.net == Vector((1, Some(3))))
  }

  test("the newest row of each key is stored, and no other after the lateness (SEMANTICS R117)") {
    val join = new Joined(AsofDirection.Backward, JoinKind.Left, EachBatch, None, 10, 1)
    join.step(Step((1 to 50).map(n => Row(n, 1, 1 + n % 2, n.toLong)), 200))
    assert(join.rights == 2)
    join.step(Step(Seq(Row(60, 0, 1, 300), Row(61, 0, 2, 190)), 1000))
    assert(join.net.sorted == Seq((60, Some(50)), (61, Some(49))))
    assert(join.lefts == 0 && join.rights == 2)
  }

  test("a query lists the rows that wait until they are certain (SEMANTICS R116)") {
    val join = new Joined(AsofDirection.Forward, JoinKind.Left, Never, Some(10), 5, 1)
    join.step(Step(Seq(Row(1, 0, 1, 100), Row(2, 0, 1, 103), Row(3, 1, 1, 101)), 90))
    assert(join.pending == Seq((Vector(1, 3), Some(107L)), (Vector(2), Some(119L))))
  }
}

private object AsofSuite {
  val Least: Long  = Long.MinValue
  val NullKey: Int = 0

  final case class Row(id: Int, stream: Int, key: Int, time: Long)
  final case class Step(rows: Seq[Row], watermark: Long)
  final case class Effects(rejected: Seq[Int], changes: Int, retractions: Int)

  def streams(random: Random): Seq[Step] = {
    var (id, w) = (0, Least)
    Seq.fill(1 + random.nextInt(8)) {
      val around = if (w == Least) 0 else w.toInt
      val rows = Seq.fill(random.nextInt(9)) {
        id += 1
        Row(id, random.nextInt(2), random.nextInt(4), (around - 12 + random.nextInt(30)).toLong)
      }
      if (random.nextInt(3) > 0) w = math.max(if (w == Least) 0 else w, w + random.nextInt(9))
      Step(rows, w)
    }
  }

  /** The same rows, each in its own step, in another order within the steps. */
  def cut(steps: Seq[Step]): Seq[Step] =
    steps.flatMap(step => step.rows.reverse.map(row => Step(Seq(row), Least)) :+ Step(Nil, step.watermark))

  /** The nearest row among all, from the text of the rule: rows are in the order of time and offset. Backward takes the
    * last one at or before the row, forward the first one at or after it, nearest the nearer of these, backward first.
    */
  def search(direction: AsofDirection, tolerance: Option[Long], left: Row, rows: Seq[Row]): Option[Row] = {
    val rights = rows.filter(one =>
      one.stream == 1 && one.key == left.key && one.key != NullKey &&
        tolerance.forall(math.abs(one.time - left.time) <= _)).sortBy(one => (one.time, one.id))
    val before = rights.filter(_.time <= left.time).lastOption
    val after  = rights.find(_.time >= left.time)
    direction match {
      case AsofDirection.Backward => before
      case AsofDirection.Forward  => after
      case AsofDirection.Nearest =>
        if (before.isDefined && after.forall(one => left.time - before.get.time <= one.time - left.time)) before
        else after
    }
  }

  private def keyOf(number: Int): Key = new Key(Array(number.toByte))

  /** Runs a join, with a new object for each step. */
  final class Joined(
      direction: AsofDirection,
      how: JoinKind,
      early: PaneTrigger,
      tolerance: Option[Long],
      lateness: Long,
      shards: Int) {
    private val spec = JoinDraft(
      Seq(JoinStream("trades"), JoinStream("quotes")),
      hasKeys = true,
      Within.AsOf(direction, tolerance.map(TimeSpan(_))),
      how,
      Some(TimeSpan(lateness)),
      early).checked
    private val stores = Vector.fill(shards)(new InMemoryShardStore)

    /** The emitted rows without the retracted ones. */
    var net: Vector[(Int, Option[Int])] = Vector.empty

    private def shard(n: Int) = JoinShards(spec, stores(n), _ == keyOf(NullKey))

    private def incoming(row: Row): (Int, Incoming) = (
      row.stream,
      Incoming(
        keyOf(row.key),
        Some(row.time),
        Some(Origin(spec.names(row.stream), 0, row.id.toLong)),
        BigInt(row.id).toByteArray))

    private def idOf(bytes: Array[Byte]): Int = BigInt(bytes).toInt

    def step(step: Step): Effects = {
      val effects = stores.indices.flatMap { n =>
        val own = step.rows.filter(_.key % shards == n)
        shard(n).step(own.iterator.map(incoming), watermarkOf(step.watermark), None).toVector
      }
      val rows = effects.collect { case JoinEffect.Row(row) =>
        ((idOf(row.messages.head.get.payload), row.messages(1).map(one => idOf(one.payload))), row.isRetraction)
      }
      rows.foreach { case (row, isRetraction) =>
        if (!isRetraction) net :+= row
        else {
          assert(net.contains(row), s"$row was not emitted")
          net = net.diff(Vector(row))
        }
      }
      Effects(
        effects.collect { case refused: JoinEffect.Reject => idOf(refused.message.payload) },
        rows.size,
        rows.count(_._2))
    }

    private def watermarkOf(at: Long): Watermark = if (at == Least) Watermark.None else Watermark(at)

    private def stored(stream: Int): Int = stores.indices.map(shard(_).getMessages(stream, None, None).size).sum

    def lefts: Int  = stored(0)
    def rights: Int = stored(1)

    def pending: Seq[(Vector[Int], Option[Long])] = stores.indices.flatMap(shard(_).pending.map(one =>
      (one.row.messages.flatten.map(message => idOf(message.payload)).toVector, one.watermark)))
  }
}
