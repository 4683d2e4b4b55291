package windrow.spark.query

/** The names of operators with which Windrow replaces those of an unchanged query (SEMANTICS R98). */
private[spark] object AcceleratedNames {

  def of(number: Int): String = s"$Prefix$number"

  /** Returns the name of an operator from a name that begins with it, as that of an input of a join does. */
  def in(longer: String): Option[String] = Name.findPrefixOf(longer)

  private val Prefix = "accelerated_"
  private val Name   = s"$Prefix\\d+".r
}
