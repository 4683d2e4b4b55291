package windrow.spark.shards

/** Describes the state of an operator for readers of its checkpoint. Stored in the state. */
trait OperatorDescriptor extends Serializable {
  def bytes: Array[Byte]
}

object OperatorDescriptor {

  /** The name of the state variable. */
  val Variable = "about"
}
