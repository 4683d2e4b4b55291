package windrow.spark.verify

/** A file that a query reads when it continues.
  *
  * @param loss
  *   the consequence if the file is missing
  */
private[verify] final case class RequiredFile(name: String, batch: Option[Long], loss: String)
