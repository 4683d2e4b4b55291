package windrow.spark.shards

/** What the state of an operator says of itself, for those who look into its checkpoint; it is kept in the state. */
trait OperatorDescriptor extends Serializable {
  def bytes: Array[Byte]
}

object OperatorDescriptor {

  /** Its name among the variables of the operator. */
  val Variable = "about"
}
