package windrow.core.join

/** The spaces of its store that a [[JoinShard]] uses, for stores that must know them beforehand. */
object JoinSpaces {
  val All: Seq[String] = Seq("messages", "sides", "periods")
}
