package windrow.spark.verify

/** A file that a query reads when it goes on.
  *
  * @param loss
  *   what happens without it
  */
private[verify] final case class Need(name: String, batch: Option[Long], loss: String)
