package windrow.testkit

import windrow.replay._

/** The ways in which a case is run on the core. */
object Tellings {

  /** Returns two ways to run a case: unchanged, and with the messages of each step in another order and a snapshot and
    * a restore between any two steps. The results must be the same. The seed determines the number of shards of each.
    */
  def of(seed: Long): Seq[(String, AgainstReference.Telling)] = {
    val shards             = Seq("one shard" -> 1, "four shards" -> 4, "sixteen shards" -> 16)
    def choose(turn: Long) = shards(Math.floorMod(seed + turn, shards.size.toLong).toInt)
    val (one, few)         = choose(0)
    val (other, many)      = choose(1)
    Seq(
      one -> (new CoreEngine(few).run(_)),
      s"other orders in steps, restarts everywhere, $other" -> (c =>
        Recut.withoutRestarts(new CoreEngine(many).run(Recut.restarted(Recut.shuffled(c, seed))))))
  }
}
