package windrow.spark.accelerate

import windrow.SpecProblem

/** The decision about a stateful operator of an unchanged query.
  *
  * @param name
  *   the name under which an accelerated operator counts its rows and stores its state
  * @param operator
  *   describes the operator, for example `aggregate by window, product`
  * @param reason
  *   why Spark runs the operator; None if Windrow runs it
  */
final case class OperatorAcceleration(name: String, operator: String, reason: Option[SpecProblem]) {
  def isAccelerated: Boolean = reason.isEmpty

  override def toString: String =
    reason.fold(s"accelerated  $operator, as '$name'")(why => s"kept         $operator: $why")
}

/** The decisions about all stateful operators of a query, the one nearest to the sink first. Prints as a list. */
final case class Acceleration(operators: Seq[OperatorAcceleration]) {
  override def toString: String =
    if (operators.isEmpty) "The query does not have a stateful operator." else operators.mkString("\n")
}
