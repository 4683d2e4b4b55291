package windrow.testkit

import windrow.replay._

/** How a case is told to the core. */
object Tellings {

  /** Told as it is, and so that nothing of it may show: in other orders inside the steps, with a snapshot and a restore
    * between any two of them; both on another number of shards for each seed.
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
